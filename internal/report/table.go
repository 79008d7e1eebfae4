package report

import (
	"fmt"
	"html/template"
	"math"

	"planner/hardware/unit"
	"planner/internal/show"
)

// Section is one chapter of the report, the same in HTML and Markdown; figures
// are in HTML alone, so that tables hold every number.
type Section struct {
	ID, Title string
	Verdict   string // one sentence that comes first
	Lead      []string
	Charts    []template.HTML
	Legend    []Key
	Tables    []Table
}

// Key is one entry of a legend.
type Key struct{ Class, Name, Value, Share string }

// Table is a table with a caption. Folded tables are behind a summary.
type Table struct {
	Caption string
	Folded  bool
	Compact bool // many columns: smaller type
	Columns []Column
	Rows    []Row
}

// Column says how the cells of a column are set.
type Column struct {
	Title              string
	Number, Code, Wrap bool
}

// Row is one row; Kind is "", "pick" or "total".
type Row struct {
	Kind  string
	Cells []string
}

func num(title string) Column  { return Column{Title: title, Number: true} }
func txt(title string) Column  { return Column{Title: title} }
func code(title string) Column { return Column{Title: title, Code: true} }
func wrap(title string) Column { return Column{Title: title, Wrap: true} }

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, Row{Cells: cells}) }

func (t *Table) mark(kind string) { t.Rows[len(t.Rows)-1].Kind = kind }

// decimal writes traffic.
func decimal(b float64) string { return unit.Bytes(b).Decimal() }

// millis writes a time of calls.
func millis(s float64) string {
	ms := 1e3 * s
	if ms < 1000 {
		return fmt.Sprintf("%.1f", ms)
	}
	return show.Count(int64(math.Round(ms)))
}
