package show

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"planner/internal/ask"
)

func TestBesideSentence(t *testing.T) {
	for _, c := range []struct {
		overlaps string
		share    fitted
		want     string
	}{
		{"", fitted{}, "Nothing runs beside it"},
		{"", fitted{Name: "tp_exposed", Value: 1}, "Nothing runs beside it"},
		{"", fitted{Name: "tp_exposed", Value: 0.316}, "A fitted share of 0.316 is exposed (tp_exposed of megatron); what hides the rest is not modelled"},
		{"", fitted{Name: "tp_exposed", Value: 0.316, Hider: "products hide the rest"}, "A fitted share of 0.316 is exposed (tp_exposed of megatron); products hide the rest"},
		{"", fitted{Name: "tp_exposed", Value: 1.1}, "Nothing runs beside it, and it takes 1.1 times as long as alone (tp_exposed of megatron)"},
		{"next micro-batch", fitted{Name: "pp_exposed", Value: 0.48}, "It runs beside the next micro-batch; a fitted share of 0.48 stays exposed (pp_exposed of megatron)"},
		{"backward pass", fitted{Name: "dp_exposed", Value: 0.19, Least: true}, "It runs beside the backward pass; a fitted share of 0.19 stays exposed (dp_exposed of megatron), and what that work is too short for"},
	} {
		if got := besideSentence(c.overlaps, &c.share, "megatron"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A constant that is named beside a call is the share of it that is exposed:
// exactly where nothing else decides, at least so where more may. Clocks that
// rise in idle time shorten all exposed times of a step by one factor.
func TestFittedShares(t *testing.T) {
	for _, c := range layoutsToExplain {
		_, x := explained(t, c.q, c.layout)
		calls, err := CallsOf(x, "slowest")
		if err != nil {
			t.Fatal(err)
		}
		pace := 0.0
		for i := range calls {
			call := &calls[i]
			f := call.fitted
			if f.Name == "" || f.Value > 1 {
				continue
			}
			ratio := call.Exposed / call.Seconds / f.Value
			if pace == 0 && !f.Least {
				pace = ratio
			}
			if ratio < 0.9 || !f.Least && (ratio > 1+1e-6 || math.Abs(ratio-pace) > 1e-6) {
				t.Errorf("%s %s: %s %q is exposed to %.4f of what %s = %.4f says, others to %.4f", c.q.Model, c.layout, call.Op, call.Purpose, ratio, f.Name, f.Value, pace)
			}
		}
	}
}

// "Nothing runs beside it" is said of no call that is exposed in part.
func TestNothingBeside(t *testing.T) {
	for _, c := range layoutsToExplain {
		_, x := explained(t, c.q, c.layout)
		calls, err := CallsOf(x, "slowest")
		if err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			call := &calls[i]
			share := call.Exposed / call.Seconds
			if call.Beside() == "—" && share > 0.02 && share < 0.9 {
				t.Errorf("%s %s: %s %q is exposed to %.2f, and nothing says why", c.q.Model, c.layout, call.Op, call.Purpose, share)
			}
		}
	}
	a, x := explained(t, ask.Question{Model: "deepseek-v3", GPUs: 2048, Framework: "megatron"}, "tp=4,pp=8,ep=32,etp=1,zero=1,first=7,last=6")
	var b bytes.Buffer
	if err := Explain(&b, a, x, "slowest"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Nothing runs beside it") || !strings.Contains(b.String(), "(ep_exposed of megatron)") || !strings.Contains(b.String(), "  ep_exposed = 0.") {
		t.Errorf("the fitted share of dispatch is not named:\n%s", b.String())
	}
}
