package show

import (
	"fmt"
	"io"

	"planner/internal/validate"
)

// Collectives writes the errors of predicted collective calls, a line a fabric.
func Collectives(w io.Writer, format string, rep *validate.CollectivesReport) {
	columns := []Column{{"fabric", true}, {"above 64 KiB", false}, {"median %", false}, {"P90 %", false}, {"mean %", false}, {"up to 64 KiB", false}, {"median %", false}, {"P90 %", false}}
	row := func(name string, a, b validate.ErrorStat) []string {
		return []string{name, Count(a.Count), tenth(a.Median), tenth(a.P90), tenth(a.Mean), Count(b.Count), tenth(b.Median), tenth(b.P90)}
	}
	var rows [][]string
	for _, f := range rep.Summary.Fabrics {
		rows = append(rows, row(f.Fabric, f.Above, f.Below))
	}
	rows = append(rows, row("all", rep.Summary.Above, rep.Summary.Below))
	Table(w, format, columns, rows)
}

func tenth(percent float64) string { return fmt.Sprintf("%.1f", percent) }
