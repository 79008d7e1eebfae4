package ask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"planner/internal/ask"
)

// TestWords: each constraint is repeated as the command line has it.
func TestWords(t *testing.T) {
	c := ask.Constraints{TP: "1..4", MaxMemory: "72GiB", MaxDP: 8, Exclude: "tp=4,pp=1;cp=2"}
	want := []string{"tp 1..4", "max-memory 72GiB", "max-dp 8", "exclude tp=4,pp=1", "exclude cp=2"}
	if d := cmp.Diff(want, c.Words()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := (&ask.Constraints{}).Words(); got != nil {
		t.Errorf("of none: %v", got)
	}
}
