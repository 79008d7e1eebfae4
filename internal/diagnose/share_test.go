package diagnose

import (
	"strings"
	"testing"

	"planner/costmodel/collective"
)

// A profiler's shares are of one step: each call once, all of it at most.
func TestParseShares(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"all_reduce=60%", "all_gather=40%"}, ""},
		{[]string{"all_reduce=60%", "all_gather=70%"}, `--share "all_gather=70%": together 130 % of the step: want at most 100 %`},
		{[]string{"all_reduce=20%", "AllReduce=0.1"}, `--share "AllReduce=0.1": all_reduce is given twice: want one share of each call, the sum of its kernels`},
	} {
		shares, err := ParseShares(c.texts)
		if c.want == "" && (err != nil || len(shares) != len(c.texts)) || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%v: %v, %v; want %q", c.texts, shares, err, c.want)
		}
	}
}

func TestShares(t *testing.T) {
	for text, want := range map[string]Share{
		"all_reduce=35%": {collective.AllReduce, 0.35}, "AllReduce=0.35": {collective.AllReduce, 0.35}, "all-gather=40 %": {collective.AllGather, 0.4},
		"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL=31%": {collective.ReduceScatter, 0.31},
	} {
		got, err := ParseShare(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"all_reduce": "not op=share", "all_redduce=3%": "did you mean", "all_reduce=0": "not a share", "all_reduce=135%": "not a share", "x=y=z": "unknown call"} {
		if _, err := ParseShare(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzShare(f *testing.F) {
	f.Add("all_reduce=35%")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseShare(text); err == nil && !(s.Value > 0 && s.Value <= 1) {
			t.Errorf("%q: %v", text, s)
		}
	})
}
