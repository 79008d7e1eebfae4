package report

import (
	"testing"

	"planner/strategies"
)

// What is slower is named by what it has more of, what is faster by what it has
// less of.
func TestDifferences(t *testing.T) {
	pick := &strategies.Estimate{Step: 10, Compute: 4, Overhead: 6}
	faster := &strategies.Estimate{Step: 5, Compute: 4, Bubble: 0.5, Overhead: 0.5}
	if got := differences(pick, faster, false); len(got) != 1 || got[0] != "5.50 s less overhead" {
		t.Errorf("%q", got)
	}
	if got := differences(faster, pick, false); len(got) != 1 || got[0] != "5.50 s more overhead" {
		t.Errorf("%q", got)
	}
}
