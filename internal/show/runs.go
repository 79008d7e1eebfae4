package show

import (
	"fmt"
	"io"
	"slices"

	"planner/internal/validate"
)

// Runs writes the errors of predicted runs: a line a source, the macro
// averages, and how well layouts are ranked.
func Runs(w io.Writer, format string, rep *validate.Report) {
	columns := []Column{{"source", true}, {"rows", false}, {"steps", false}, {"MAPE %", false}, {"median %", false}, {"P90 %", false}, {"bias %", false},
		{"one run known %", false}, {"in band %", false}, {"memory %", true}, {"fit or OOM", true}, {"groups", false}, {"tau-b", false}, {"regret %", false}}
	var rows [][]string
	for i := range rep.Summary.Sources {
		rows = append(rows, runsRow(&rep.Summary.Sources[i]))
	}
	m := rep.Summary.Macro
	many := len(rep.Summary.Sources) > 1
	if m.N > 0 && (many || format != "table") {
		rows = append(rows, []string{"sources alike", Count(len(rep.Rows)), Count(m.N), Percent(m.MAPE), Percent(m.Median), Percent(m.P90), Percent(m.Bias), "", Percent(rep.Summary.Coverage)})
	}
	for i := range rows {
		for len(rows[i]) < len(columns) {
			rows[i] = append(rows[i], "")
		}
	}
	if format != "csv" && !anyCalibrated(rep) {
		columns = slices.Delete(columns, runKnown, runKnown+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], runKnown, runKnown+1)
		}
	}
	Table(w, format, columns, rows)
	if format == "table" {
		if fmt.Fprintln(w); many {
			fmt.Fprintln(w, "sources alike  every source counts the same, however many rows it has")
		}
		fmt.Fprint(w, runsLegend)
	}
}

// runKnown is the column of errors once one run of each group is known.
const runKnown = 7

func anyCalibrated(rep *validate.Report) bool {
	return slices.ContainsFunc(rep.Summary.Sources, func(s validate.SourceSummary) bool { return s.Calibrated != nil })
}

// runsLegend says what the words of the table mean.
const runsLegend = `memory         allocated and required: of tensors; reserved and unknown: with fragmentation; rounded: all that a process takes
fit or OOM     mean of the shares of runs that fitted and of runs out of memory that are predicted so
groups         sweeps of four layouts or more, which are ranked
tau-b          Kendall's, of predicted and measured order: 1 the same, 0 unrelated
regret         how much slower the layout predicted fastest is than the one measured fastest
`

func runsRow(s *validate.SourceSummary) []string {
	row := []string{s.Source, Count(s.Rows)}
	if s.Source == "" {
		row[0] = "(no source)"
	}
	if e := s.Step; e != nil {
		row = append(row, Count(e.N), Percent(e.MAPE), Percent(e.Median), Percent(e.P90), Percent(e.Bias))
	} else {
		row = append(row, "0", "", "", "", "")
	}
	known, band := "", ""
	if s.Calibrated != nil {
		known = Percent(s.Calibrated.MAPE)
	}
	if s.Step != nil {
		band = Percent(s.Inside)
	}
	row = append(row, known, band, memoryErrors(s), fitOrOOM(s))
	if s.Groups > 0 {
		return append(row, Count(s.Groups), fmt.Sprintf("%.2f", s.Tau), Percent(s.Regret))
	}
	return append(row, "", "", "")
}

func memoryErrors(s *validate.SourceSummary) string {
	text := ""
	for _, kind := range []string{"allocated", "reserved", "required", "rounded", "unknown"} {
		if e := s.Memory[kind]; e != nil {
			if text != "" {
				text += ", "
			}
			text += Percent(e.MAPE) + " " + kind
		}
	}
	return text
}

func fitOrOOM(s *validate.SourceSummary) string {
	if s.Fit == nil || s.Fit.Correct == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", s.Fit.Correct)
}
