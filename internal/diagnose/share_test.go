package diagnose

import "testing"

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
