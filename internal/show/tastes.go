package show

import (
	"fmt"
	"io"

	"planner/strategies"
)

// Spare returns the fastest layout that is not marginal, where the first of a
// ranking is: one that fits with the certainty of every other verdict.
func Spare(p *strategies.Problem, r *strategies.Result) *strategies.Estimate {
	if len(r.Ranking) == 0 || !Marginal(p, &r.Ranking[0]) {
		return nil
	}
	return r.FastestWithin(p.Capacity().Times(1 - near))
}

// Tastes writes the same question answered by another taste.
func Tastes(w io.Writer, p *strategies.Problem, r *strategies.Result) {
	best := &r.Ranking[0]
	var rows [][]string
	add := func(what string, e *strategies.Estimate) {
		if e == nil || e.Layout == best.Layout {
			return
		}
		rows = append(rows, []string{what, e.Layout.String(), fmt.Sprintf("%.2f s", e.Step), Percent(p.Rates(e).MFU) + " %",
			fmt.Sprintf("%.1f GiB", e.Memory.Total().GiB()), fmt.Sprintf("+%.1f %%", 100*(float64(e.Step/best.Step)-1))})
	}
	add("memory to spare", Spare(p, r))
	add("least memory within 15 %", r.LeastMemory(0.15))
	add("no pipeline", r.NoPipeline)
	add("no tensor parallelism", r.NoTensor)
	if rows == nil {
		return
	}
	fmt.Fprintln(w, "\nsame question, another taste:")
	Table(w, "table", []Column{{"", true}, {"", true}, {}, {}, {}, {}}, rows)
}
