package calibrate

import (
	"slices"
	"testing"

	"planner/internal/validate"
)

// The same rows give the same constants in the same order, each time.
func TestConstantsInOrder(t *testing.T) {
	rows := bundled(t, func(r *validate.Run) bool { return r.Source == "mlperf" || r.Source == "fsdp_misc" })
	var first []place
	for range 5 {
		var order []place
		for _, x := range newFit(rows, timeKnobs, gpuKnobs, stepResidual).turns {
			order = append(order, x.at)
		}
		if first == nil {
			first = order
		}
		if !slices.Equal(order, first) {
			t.Fatalf("order %v, before %v", order, first)
		}
	}
}
