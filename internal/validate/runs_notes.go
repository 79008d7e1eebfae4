package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NoteIgnored says which columns of a table nothing reads; "" where there is
// none.
func NoteIgnored(columns []string) string {
	if len(columns) == 0 {
		return ""
	}
	return "columns ignored: " + strings.Join(columns, ", ")
}

// Notes says what the summary leaves out: columns that nothing read, values
// that rows did not give, and rows without a prediction.
func (r *Report) Notes() []string {
	var out []string
	if n := NoteIgnored(r.Ignored); n != "" {
		out = append(out, n)
	}
	if n := r.noteAssumed(); n != "" {
		out = append(out, n)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Skipped != "" {
			out = append(out, fmt.Sprintf("%s: skipped: %s", row.name(), row.Skipped))
		}
	}
	return out
}

// name is the row's line, and its key where the table has one.
func (r *RunResult) name() string {
	return strings.TrimSuffix(fmt.Sprintf("line %d %s", r.Line, printable(r.ID)), " ")
}

// assumed is what predicted rows leave blank.
type assumed struct {
	rows, predicted int
	values          map[string][]string // taken, by column
}

func (r *Report) assumed() assumed {
	a := assumed{values: map[string][]string{}}
	for i := range r.Rows {
		if r.Rows[i].Skipped != "" {
			continue
		}
		a.predicted++
		if len(r.Rows[i].Assumed) > 0 {
			a.rows++
		}
		for c, v := range r.Rows[i].Assumed {
			if !slices.Contains(a.values[c], v) {
				a.values[c] = append(a.values[c], v)
			}
		}
	}
	return a
}

// noteAssumed counts the predicted rows that leave a column blank, and names
// the columns.
func (r *Report) noteAssumed() string {
	a := r.assumed()
	if a.rows == 0 {
		return ""
	}
	return fmt.Sprintf("assumed in %d of %d predicted rows: %s (what was taken: --format json, assumed)", a.rows, a.predicted, strings.Join(inSchema(a.values), ", "))
}

// NoteTaken is the note on blank columns with the values that were taken for
// them; "" where there is none.
func (r *Report) NoteTaken() string {
	a := r.assumed()
	if a.rows == 0 {
		return ""
	}
	columns := inSchema(a.values)
	for i, c := range columns {
		columns[i] = c + " " + strings.Join(a.values[c], " or ")
	}
	return fmt.Sprintf("assumed in %d of %d predicted rows: %s", a.rows, a.predicted, strings.Join(columns, ", "))
}

// inSchema returns columns in the order of the schema, then what no table can
// give (dispatchers, the optimizer) by name.
func inSchema[V any](columns map[string]V) []string {
	var out []string
	for _, c := range knownRunColumns {
		if _, ok := columns[c]; ok {
			out = append(out, c)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(columns)) {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// Nothing says why no row at all is predicted, by the first; "" where one is.
func (r *Report) Nothing() string {
	if len(r.Rows) == 0 || slices.ContainsFunc(r.Rows, func(x RunResult) bool { return x.Skipped == "" }) {
		return ""
	}
	first, others := &r.Rows[0], ""
	if len(r.Rows) > 1 {
		others = fmt.Sprintf(" (the first of %d rows; all: --format json)", len(r.Rows))
	}
	return fmt.Sprintf("no row can be predicted: %s: %s%s", first.name(), first.Skipped, others)
}
