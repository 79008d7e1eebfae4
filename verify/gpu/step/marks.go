package step

import (
	"planner/verify/gpu/cuda"
	"planner/verify/replay"
)

// slotsOf returns the most calls of a step of a work on one rank, and 1 for
// samples at least.
func slotsOf(w *replay.Work) int {
	slots := 1
	for _, p := range w.Programs {
		slots = max(slots, p.Slots)
	}
	return slots
}

// addMarks makes the marks that the slots of a work lack.
func addMarks(marks *[][2]cuda.Mark, w *replay.Work, l Lane) error {
	for slots := slotsOf(w); len(*marks) < slots; {
		m, err := twoMarks(l)
		if err != nil {
			return err
		}
		*marks = append(*marks, m)
	}
	return nil
}

func twoMarks(l Lane) (m [2]cuda.Mark, err error) {
	for i := range m {
		if m[i], err = l.NewMark(); err != nil {
			return m, err
		}
	}
	return m, nil
}
