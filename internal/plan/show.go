package plan

import (
	"fmt"
	"io"

	"planner/hardware/unit"
	"planner/internal/show"
	"planner/strategies"
)

// Row is one verdict of a table of checks.
func (v Verdict) Row(file string) []string {
	ok := "ok"
	if !v.OK {
		ok = "FAILED"
	}
	return []string{file, v.What, v.Value, v.Want, ok}
}

// Table writes the rows of checks.
func Table(w io.Writer, format string, rows [][]string) {
	show.Table(w, format, []show.Column{{Title: "plan", Left: true}, {Title: "check", Left: true}, {Title: "today"}, {Title: "want", Left: true}, {Title: "verdict", Left: true}}, rows)
}

// Text writes a figure in the unit that people read: seconds with three
// digits, MFU in per cent, memory in GiB.
func (t Term) Text() string {
	switch t.Unit {
	case "%":
		return fmt.Sprintf("%.1f %%", 100*t.Value)
	case "B":
		return fmt.Sprintf("%.1f GiB", unit.Bytes(t.Value).GiB())
	case "tok/s":
		return show.Count(int(t.Value + 0.5))
	}
	return fmt.Sprintf("%.3f s", t.Value)
}

// Moves writes what moved since a plan was saved: "~" where the step moved by
// less than the model can tell apart.
func Moves(w io.Writer, format string, moves []Move) {
	var rows [][]string
	for _, m := range moves {
		before, after := Term{Unit: m.Unit, Value: m.Saved}, Term{Unit: m.Unit, Value: m.Now}
		rows = append(rows, []string{m.What, before.Text(), after.Text(), change(m)})
	}
	show.Table(w, format, []show.Column{{Title: "figure", Left: true}, {Title: "saved"}, {Title: "today"}, {Title: "moved"}}, rows)
}

func change(m Move) string {
	switch {
	case m.Saved == m.Now:
		return "="
	case m.Unit == "%":
		return fmt.Sprintf("%+.1f pts", 100*(m.Now-m.Saved))
	case m.Saved == 0:
		return "new"
	}
	d := m.Now/m.Saved - 1
	if abs(d) < strategies.Resolution {
		return fmt.Sprintf("%+.1f %% ~", 100*d)
	}
	return fmt.Sprintf("%+.1f %%", 100*d)
}
