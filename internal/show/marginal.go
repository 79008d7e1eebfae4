package show

import (
	"fmt"
	"math"

	"planner/hardware/unit"
	"planner/strategies"
)

// Within near of capacity, fit and out of memory are told apart badly. Of the
// layouts of LLaMA of which the table hagemann2023 says which ended out of
// memory, the verdict was right on the first share near capacity and on the
// second elsewhere (docs/MEMORY.md, section 4; no other table has both
// outcomes near capacity). A test counts them again.
const (
	near        = 0.05
	nearRight   = 0.69
	nearLayouts = 29
	awayRight   = 0.99
)

// nearness says how often the verdict near capacity is right.
func nearness() string {
	return fmt.Sprintf("within %.0f %% of capacity the verdict was right on %.0f %% of %d published layouts, elsewhere on %.0f %%",
		100*near, 100*nearRight, nearLayouts, 100*awayRight)
}

// Marginal reports whether an estimate takes so nearly what is usable that the
// verdict on its memory is uncertain.
func Marginal(p *strategies.Problem, e *strategies.Estimate) bool {
	return nearCapacity(e.Memory.Total(), p.Capacity())
}

func nearCapacity(taken, usable unit.Bytes) bool { return math.Abs(float64(taken/usable)-1) < near }

// marginalNote says how many rows of a ranking may not fit and how to leave
// them out; "" where none may.
func marginalNote(p *strategies.Problem, list []strategies.Estimate) string {
	n := 0
	for i := range list {
		if Marginal(p, &list[i]) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	rows := "the row marked * may not fit"
	if n > 1 {
		rows = fmt.Sprintf("the %d rows marked * may not fit", n)
	}
	return fmt.Sprintf("%s: %s; --max-memory %.0fGiB leaves room", rows, nearness(), math.Floor((1-near)*p.Capacity().GiB()))
}
