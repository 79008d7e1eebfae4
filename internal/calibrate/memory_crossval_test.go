package calibrate

import (
	"math"
	"testing"

	"planner/internal/validate"
)

// Memory that is counted needs no constant: runs of Megatron with Transformer
// Engine are predicted as well without their group, and without their source,
// as with it.
func TestMemoryOfUnseenRuns(t *testing.T) {
	rows := bundled(t, func(r *validate.Run) bool { return r.MemoryKind == "allocated" || r.MemoryKind == "required" })
	if len(rows) == 0 {
		t.Skip("no such runs in the table")
	}
	for how, checks := range map[string]map[string]*MemoryCheck{"group": CrossValidateMemory(rows), "source": LeaveSourceOutMemory(rows)} {
		for source, m := range checks {
			if m.Runs == 0 || m.Error > 0.02 {
				t.Errorf("%s without its %s: %.1f %% over %d runs", source, how, 100*m.Error, m.Runs)
			}
		}
	}
}

// Balanced accuracy is the mean of both shares told right.
func TestBalanced(t *testing.T) {
	m := MemoryCheck{OK: [2]int{9, 1}, OOM: [2]int{2, 2}}
	if got := m.Balanced(); math.Abs(got-0.7) > 1e-12 {
		t.Errorf("%v, want (0.9 + 0.5)/2", got)
	}
	if got := (&MemoryCheck{OK: [2]int{3, 0}}).Balanced(); !math.IsNaN(got) {
		t.Errorf("%v of runs that all fitted", got)
	}
}
