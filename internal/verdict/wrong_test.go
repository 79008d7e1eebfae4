package verdict

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"planner/hardware"
)

// wrongProfiles are a profile, and what makes a term of it wrong.
var wrongProfiles = []struct {
	name, shape, term string
	change            func(*hardware.Cluster)
}{
	{"right", quickShape, "", func(*hardware.Cluster) {}},
	{"inter-node bandwidth ×3", quickShape, termBandwidth, func(c *hardware.Cluster) {
		c.Tiers[1].Bandwidth *= 3
		c.Tiers[1].PortRate *= 3
	}},
	{"latency ×10", quickShape, termLatency, func(c *hardware.Cluster) { c.Tiers[1].Fit.Latency *= 10 }},
	{"NIC sharing ignored", quickShape + ",nics=1", termNICs, func(c *hardware.Cluster) {
		c.Tiers[1].Bandwidth *= 2
		c.Tiers[1].NICs = 0
	}},
}

// TestWrongProfilesAgain is the long check that a wrong profile is caught every
// time, with the right culprit, and a right one never:
//
//	PLANNER_WRONG=10 go test ./internal/verdict -run Again -v -timeout 1h
func TestWrongProfilesAgain(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("PLANNER_WRONG"))
	if err != nil {
		t.Skip("PLANNER_WRONG is not a number of runs")
	}
	for _, tt := range wrongProfiles {
		caught := 0
		for range runs {
			_, r := quick(t, tt.shape, tt.change)
			if r.Verdict.Term == tt.term {
				caught++
				continue
			}
			t.Errorf("%s: term %q, want %q: %s\n%+v", tt.name, r.Verdict.Term, tt.term, r.Verdict.Sentence, r.Links)
		}
		fmt.Printf("| %s | %d of %d |\n", tt.name, caught, runs)
	}
}
