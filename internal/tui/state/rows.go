package state

import (
	"cmp"
	"slices"
	"strings"

	"planner/internal/tui/knob"
	"planner/internal/tui/scan"
	"planner/strategies"
)

// search starts the search that the question, the flags and the filter ask.
func (s State) search() (State, []Effect) {
	s.Gen++
	s.Running, s.Effects = true, nil
	s.Found = scan.Found{}
	space, possible := s.Filter.Narrow(s.Space, s.Answer.GPUs)
	if !possible {
		s.Running = false
		return s.arrange(), []Effect{Cancel{}}
	}
	return s, []Effect{Search{s.Gen, scan.Job{Problem: s.Answer.Problem, Space: space, Keep: s.Keep, Unfit: s.Fit != FitOnly}}}
}

// news takes what a search knows so far.
func (s State) news(n News) State {
	if n.Gen != s.Gen {
		return s
	}
	s.Found = n.Found
	s.Running = !n.Done
	if len(n.Found.Ranking) > 0 {
		if best := &n.Found.Ranking[0]; s.Overall == nil || best.Step < s.Overall.Step {
			s.Overall = best
		}
	}
	return s.arrange()
}

// arrange makes the rows of what is found and puts them in order. The cursor
// stays on its layout once it was moved, or while another screen is about it,
// which a search that begins anew may find late.
func (s State) arrange() State {
	key := s.Follow
	if r := s.Current(); key == "" && r != nil && (s.Cursor > 0 || s.View != Table) {
		key = r.Key()
	}
	switch {
	case !s.Running:
		s.Follow = ""
	case s.View != Table:
		s.Follow = key
	}
	s.Rows = rowsOf(&s.Found)
	return s.order(key)
}

func rowsOf(f *scan.Found) []Row {
	rows := make([]Row, 0, len(f.Ranking)+len(f.Unfit))
	ties := strategies.TieGroups(f.Ranking)
	for i := range f.Ranking {
		rows = append(rows, Row{&f.Ranking[i], i + 1, ties[i]})
	}
	for i := range f.Unfit {
		rows = append(rows, Row{Estimate: &f.Unfit[i]})
	}
	return rows
}

// order filters and sorts, and puts the cursor on the row of a key.
func (s State) order(key string) State {
	p := s.Answer.Problem
	s.Visible = nil
	for i := range s.Rows {
		r := &s.Rows[i]
		if s.Fit == FitOnly && r.Rank == 0 || s.Fit == UnfitOnly && r.Rank > 0 {
			continue
		}
		if s.Filter.Match(p, r.Estimate) {
			s.Visible = append(s.Visible, i)
		}
	}
	s.sort(p)
	at := slices.IndexFunc(s.Visible, func(i int) bool { return key != "" && s.Rows[i].Key() == key })
	s.Cursor = max(0, at)
	if at < 0 && key != "" && s.Running && s.View != Table && s.Selected != nil {
		return s // not found yet: the screen stays with it
	}
	return s.selected()
}

func (s *State) sort(p *strategies.Problem) {
	at := slices.IndexFunc(AllColumns, func(c Column) bool { return c.Key == s.Sort })
	if at < 0 {
		return
	}
	c := &AllColumns[at]
	slices.SortStableFunc(s.Visible, func(a, b int) int {
		d := 0
		if c.Value != nil {
			d = cmp.Compare(c.Value(p, &s.Rows[a]), c.Value(p, &s.Rows[b]))
		} else {
			d = strings.Compare(c.Cell(p, &s.Rows[a]), c.Cell(p, &s.Rows[b]))
		}
		if s.Desc {
			d = -d
		}
		return d
	})
}

// selected explains the row under the cursor and keeps it on the screen.
func (s State) selected() State {
	s.Cursor = max(0, min(s.Cursor, len(s.Visible)-1))
	rows := s.TableRows()
	s.Top = max(0, min(s.Top, s.Cursor))
	if s.Cursor >= s.Top+rows {
		s.Top = s.Cursor - rows + 1
	}
	r := s.Current()
	if r == nil {
		s.Selected = nil
		return s
	}
	pt := knob.At(s.Answer, r.Estimate)
	if s.Selected != nil && s.Selected.Plan == pt.Plan && s.Selected.Framework == pt.Framework && s.Selected.Estimate.Fits == pt.Estimate.Fits {
		s.Selected = &Explained{pt, s.Selected.X, s.why(r)}
		return s
	}
	s.Selected = &Explained{pt, s.Answer.Explain(pt.Layout, pt.Framework), s.why(r)}
	s.CallAt, s.CallOpen, s.Scroll, s.Pan = 0, false, 0, 0
	return s
}
