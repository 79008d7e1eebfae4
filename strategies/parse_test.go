package strategies_test

import (
	"strings"
	"testing"

	"planner/strategies"
)

func TestParseLayout(t *testing.T) {
	for text, want := range map[string]string{
		"tp=8,pp=4,dp=2,zero=1":                       "tp=8,pp=4,dp=2,zero=1",
		" dp=2, zero=1 ,pp=4,tp=8":                    "tp=8,pp=4,dp=2,zero=1",
		"tp=1,pp=1,dp=8,mbs=1,sp=false":               "dp=8",
		"tp=2,dp=1,sp=false":                          "tp=2,dp=1,sp=false",
		"pp=2,vpp=3,dp=1,schedule=interleaved":        "pp=2,vpp=3,dp=1",
		"pp=2,dp=1,schedule=zb-h1":                    "pp=2,dp=1,schedule=zb-h1",
		"dp=4,zero=3,shard=4,recompute=full:3":        "dp=4,zero=3,recompute=full:3",
		"dp=4,zero=3,shard=2,offload=optimizer,hpz=2": "dp=4,zero=3,shard=2,offload=optimizer,hpz=2",
		"dp=8,ep=8,dispatcher=flex":                   "ep=8,dp=8,dispatcher=flex",
		"dp=2,cp=4,cpkind=a2a,recompute=selective":    "cp=4,dp=2,recompute=selective,cpkind=a2a",
		"pp=4,dp=1,first=3,last=5":                    "pp=4,dp=1,first=3,last=5",
	} {
		l, err := strategies.ParseLayout(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		l, v := l.Complete(l.DP * max(1, l.TP) * max(1, l.PP) * max(1, l.CP))
		if v != nil || l.String() != want {
			t.Errorf("%q reads as %s (%v), want %s", text, l, v, want)
		}
	}
}

func TestParseLayoutRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           `"": empty: want key=value pairs`,
		"tp":                         `"tp": not key=value`,
		"tp=8,tp=4":                  `"tp=4": tp is given twice (8 and 4): keep one`,
		"tpp=8":                      `"tpp=8": unknown key "tpp": did you mean "tp"?`,
		"tp=0":                       `"tp=0": too small: want at least 1`,
		"tp=-8":                      `"tp=-8": too small`,
		"tp=1.5":                     `"tp=1.5": not a whole number: want 1 to 1048576`,
		"tp=99999999":                `"tp=99999999": too large`,
		"tp=99999999999999999999999": `not a whole number`,
		"zero=4":                     `"zero=4": no such stage: want 0, 1, 2 or 3`,
		"sp=maybe":                   `"sp=maybe": not true or false`,
		"recompute=some":             `"recompute=some": no such value: did you mean "none"?`,
		"recompute=none:3":           `only full takes a number of layers: want full:N`,
		"recompute=full:x":           `not a whole number`,
		"schedule=gipe":              `did you mean "gpipe"?`,
		"cpkind=ring":                `no such value`,
		"offload=all":                `no such value`,
	} {
		_, err := strategies.ParseLayout(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// FuzzParseLayout checks that no text panics, that errors are one line, and
// that what reads is spelled in a way that reads back the same.
func FuzzParseLayout(f *testing.F) {
	for _, s := range []string{"tp=8,pp=4,zero=1", "dp=2,recompute=full:3", "tp=2,sp=false", "=", ",", "tp=\x00", "recompute=:", "zero=3,hpz=8,offload=optimizer+param"} {
		f.Add(s, 64)
	}
	f.Fuzz(func(t *testing.T, text string, gpus int) {
		l, err := strategies.ParseLayout(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: error of several lines: %q", text, err)
			}
			return
		}
		l, v := l.Complete(min(max(gpus, 1), 1<<20))
		if v != nil {
			return
		}
		again, err := strategies.ParseLayout(l.String())
		if err != nil {
			t.Fatalf("%q is spelled %q: %v", text, l, err)
		}
		if again, v = again.Complete(l.World()); v != nil || again.String() != l.String() {
			t.Errorf("%q is spelled %q, which reads as %q (%v)", text, l, again, v)
		}
	})
}
