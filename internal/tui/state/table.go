package state

import (
	"fmt"
	"slices"
)

func (s State) tableKey(k string) (State, []Effect) {
	if by := stride(k, s.TableRows()); by != 0 {
		s.Cursor += by
		return s.selected(), nil
	}
	switch k {
	case "enter":
		if s.Selected != nil {
			return s.open(Detail), nil
		}
		s.Message = nothingYet
	case "1", "2", "3", "4", "5":
		if s.Selected != nil {
			s = s.open(Detail)
			return s.detailKey(k), nil
		}
	case "/":
		return s.ask(FilterPrompt, s.Filter.Text), nil
	case "s", "S":
		return s.sortKey(k), nil
	case "f":
		s.Fit = (s.Fit + 1) % 3
		s.Message = "shown: " + s.Fit.String()
		if r := s.Current(); r != nil {
			s.Follow = r.Key()
		}
		return s.search()
	case "C":
		return s.open(Columns), nil
	case " ":
		return s.mark(), nil
	}
	return s.tableOpens(k)
}

// nothingYet answers keys that need a layout before there is one.
const nothingYet = "no layout is found yet: wait for the search, or loosen the filter"

// tableOpens handles the keys that open another screen.
func (s State) tableOpens(k string) (State, []Effect) {
	switch k {
	case "m":
		if len(s.Compared()) < 2 {
			s.Message = "compare: mark two or more rows with space"
			return s, nil
		}
		return s.open(Compare), nil
	case "p":
		return s.pin(), nil
	case "w":
		return s.whatIf(), nil
	case "P":
		s.FrontAt = max(0, min(s.FrontAt, len(s.Found.Front)-1))
		return s.open(Pareto), nil
	case "#":
		return s.scaling()
	}
	return s, nil
}

// sortKey moves the sort to the next column, or turns it round.
func (s State) sortKey(k string) State {
	if k == "S" {
		return s.sortBy(s.Sort)
	}
	cols := s.Shown()
	at := slices.IndexFunc(cols, func(c Column) bool { return c.Key == s.Sort })
	return s.sortBy(cols[(at+1)%len(cols)].Key)
}

// sortBy sorts by a column: larger first where more is better.
func (s State) sortBy(key string) State {
	if s.Sort == key {
		s.Desc = !s.Desc
	} else {
		s.Sort, s.Desc = key, key == "mfu" || key == "hfu" || key == "tok"
	}
	s.Top = 0
	return s.order("")
}

func (s State) mark() State {
	if r := s.Current(); r != nil {
		s.Marks = toggled(s.Marks, r.Key())
		s.Cursor++
	}
	return s.selected()
}

// Compared returns the rows marked, fastest first.
func (s *State) Compared() []*Row {
	var out []*Row
	for i := range s.Rows {
		if s.Marks[s.Rows[i].Key()] {
			out = append(out, &s.Rows[i])
		}
	}
	return out
}

// pin holds the subject, or lets go of it when it is pinned already.
func (s State) pin() State {
	pt := s.Subject()
	switch {
	case pt == nil || !pt.Legal():
		return s
	case s.Pin != nil && s.Pin.Plan == pt.Plan:
		s.Pin, s.Message = nil, "unpinned"
	default:
		now := *pt
		s.Pin, s.Message = &now, "pinned "+pt.Layout.String()+": every row now shows its difference from it"
	}
	return s.selected()
}

// click selects the row under the pointer, or sorts by the head under it; a
// click on the row selected opens it.
func (s State) click(c Click) State {
	if s.View != Table || s.Prompt.Kind != NoPrompt {
		return s
	}
	at := c.Y - s.tableTop()
	if at == -1 {
		if key := s.headAt(c.X); key != "" {
			return s.sortBy(key)
		}
		return s
	}
	if at < 0 || at >= s.TableRows() || s.Top+at >= len(s.Visible) {
		return s
	}
	if s.Top+at == s.Cursor {
		return s.open(Detail)
	}
	s.Cursor = s.Top + at
	return s.selected()
}

// headAt returns the column whose head is at a cell of the line.
func (s *State) headAt(x int) string {
	if s.Small() {
		return ""
	}
	at := RowIndent
	for i, w := range s.Widths() {
		if x < at+w+1 {
			return s.Shown()[i].Key
		}
		at += w + 1
	}
	return ""
}

// RowIndent is the border and the marks before the first column.
const RowIndent = 4

// Widths returns the widths of the columns shown, for the rows on the screen.
func (s *State) Widths() []int {
	cols := s.Shown()
	out := make([]int, len(cols))
	p := s.Answer.Problem
	for i, c := range cols {
		out[i] = len([]rune(s.Head(&c)))
		for _, v := range s.Visible[s.Top:min(len(s.Visible), s.Top+s.TableRows())] {
			out[i] = max(out[i], len([]rune(c.Cell(p, &s.Rows[v]))))
		}
	}
	return out
}

// Head returns the title of a column, with an arrow where it is sorted by.
func (s *State) Head(c *Column) string {
	if c.Key != s.Sort {
		return c.Title
	}
	if s.Desc {
		return c.Title + "▼"
	}
	return c.Title + "▲"
}

func (s State) columnsKey(k string) State {
	s.ColAt = max(0, min(s.ColAt+stride(k, 10), len(AllColumns)-1))
	if k == " " || k == "enter" {
		s.Hidden = toggled(s.Hidden, AllColumns[s.ColAt].Key)
	}
	return s
}

// Title says what the table shows.
func (s *State) Title() string {
	t := fmt.Sprintf("layouts · sorted by %s · ", s.Sort)
	if s.Filter.Text == "" {
		t += "filter: none"
	} else {
		t += "filter: " + s.Filter.Text
	}
	if s.Fit != FitOnly {
		t += " · " + s.Fit.String()
	}
	if s.Pin != nil {
		t += " · pinned " + s.Pin.Layout.String()
	}
	return t
}
