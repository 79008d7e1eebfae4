package show

import (
	"fmt"
	"io"
	"strings"

	"planner/hardware/unit"
	"planner/strategies"
)

// Calls writes rows of the call table.
func Calls(w io.Writer, format string, calls []Call) {
	cols := []Column{{"op", true}, {"purpose", true}, {"ph", true}, {"over", true}, {"size", false}, {"node", false}, {"tier", true},
		{"type", true}, {"M", false}, {"wire/rank", false}, {"link", false}, {"n", false}, {"total", false}, {"expos.", false}, {"algorithm", true}, {"beside", true}}
	bytes := func(b float64) string { return unit.Bytes(b).Decimal() }
	ms := func(s float64) string { return fmt.Sprintf("%.1f", 1e3*s) }
	if format == "csv" {
		cols = append([]Column{{"stage", false}}, cols...)
		bytes = func(b float64) string { return fmt.Sprintf("%.0f", b) }
		ms = func(s float64) string { return fmt.Sprintf("%g", s) }
	}
	var rows [][]string
	for i := range calls {
		c := &calls[i]
		r := []string{c.Op, c.Purpose, short(c.Phase, format), strings.Join(c.Dims, "+"), fmt.Sprint(c.GroupSize), fmt.Sprint(c.Nodes), c.Tier, c.DType,
			bytes(c.Bytes), bytes(c.WireBytes), bytes(c.LinkBytes), fmt.Sprintf("%.6g", c.Count), ms(c.Seconds), ms(c.Exposed), c.Algorithm, c.Beside()}
		if format == "csv" {
			r = append([]string{fmt.Sprint(c.Stage)}, r...)
		}
		rows = append(rows, r)
	}
	Table(w, format, cols, rows)
}

func short(phase, format string) string {
	if format == "csv" {
		return phase
	}
	return map[string]string{"forward": "fwd", "backward": "bwd", "optimizer": "opt", "init": "job", "checkpoint": "ckpt"}[phase]
}

func dash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

func onceNote(w io.Writer, x *strategies.Explanation) {
	for i := range x.Calls {
		if !x.Calls[i].Phase.InStep() {
			fmt.Fprintln(w, "  job and ckpt rows are made once per job or checkpoint and are no part of the step")
			return
		}
	}
}
