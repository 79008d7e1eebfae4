package state

import (
	"cmp"
	"slices"
	"strings"

	"planner/costmodel/collective"
)

func (s State) detailKey(k string) State {
	switch k {
	case "1", "2", "3", "4", "5":
		s.Tab, s.Scroll = Tab(k[0]-'1'), 0
	case "tab":
		s.Tab, s.Scroll = (s.Tab+1)%NumTabs, 0
	case "shift+tab":
		s.Tab, s.Scroll = (s.Tab+NumTabs-1)%NumTabs, 0
	case "J":
		s.Cursor++
		return s.selected()
	case "K":
		s.Cursor--
		return s.selected()
	case "w":
		return s.whatIf()
	case "p":
		return s.pin()
	case "[", "]":
		return s.stageKey(k)
	}
	if s.Tab == Timeline {
		return s.timelineKey(k)
	}
	if s.Tab == Calls {
		return s.callsKey(k)
	}
	return s.scroll(stride(k, s.H/2))
}

func (s State) scroll(by int) State {
	if s.Tab == Calls {
		s.CallAt = max(0, min(s.CallAt+by, len(s.CallRows())-1))
		return s
	}
	s.Scroll = max(0, s.Scroll+max(by, -1<<20))
	s.Scroll = min(s.Scroll, 400)
	return s
}

// stageKey moves to another pipeline stage.
func (s State) stageKey(k string) State {
	if s.Selected == nil {
		return s
	}
	n := s.Selected.Layout.PP
	at := s.StageShown()
	if k == "]" {
		at++
	} else {
		at--
	}
	s.Stage = (at + n) % n
	s.CallAt = 0
	return s
}

// StageShown returns the stage whose calls are shown: the slowest unless
// another was chosen.
func (s *State) StageShown() int {
	if s.Selected == nil {
		return 0
	}
	if s.Stage < 0 || s.Stage >= s.Selected.Layout.PP {
		return s.Selected.X.Slowest
	}
	return s.Stage
}

func (s State) timelineKey(k string) State {
	step := 0.25 / float64(int(1)<<s.Zoom)
	switch k {
	case "+", "=":
		s.Zoom = min(s.Zoom+1, 8)
	case "-":
		s.Zoom = max(s.Zoom-1, 0)
	case "left", "h":
		s.Pan -= step
	case "right", "l":
		s.Pan += step
	case "up", "k", "down", "j":
		s.Scroll = max(0, s.Scroll+stride(k, 1))
	}
	s.Pan = max(0, min(s.Pan, 1-1/float64(int(1)<<s.Zoom)))
	return s
}

func (s State) callsKey(k string) State {
	switch k {
	case "s":
		s.CallSort = (s.CallSort + 1) % len(CallSorts)
		s.CallDesc = s.CallSort > 2
		s.CallAt = 0
	case "S":
		s.CallDesc = !s.CallDesc
	case "enter":
		s.CallOpen = !s.CallOpen
	}
	return s.scroll(stride(k, 10))
}

// CallSorts are the orders of the calls table; the first is that of the step.
var CallSorts = []string{"order", "op", "over", "M", "n", "total", "exposed"}

// CallRows returns the calls of the stage shown, sorted.
func (s *State) CallRows() []*collective.Call {
	if s.Selected == nil {
		return nil
	}
	var out []*collective.Call
	stage := s.StageShown()
	for i := range s.Selected.X.Calls {
		if c := &s.Selected.X.Calls[i]; c.Stage == stage {
			out = append(out, c)
		}
	}
	if s.CallSort > 0 {
		slices.SortStableFunc(out, func(a, b *collective.Call) int {
			d := compareCalls(a, b, CallSorts[s.CallSort])
			if s.CallDesc {
				return -d
			}
			return d
		})
	}
	return out
}

func compareCalls(a, b *collective.Call, by string) int {
	switch by {
	case "op":
		return strings.Compare(a.Op.String(), b.Op.String())
	case "over":
		return cmp.Compare(a.Dims, b.Dims)
	case "M":
		return cmp.Compare(a.Bytes, b.Bytes)
	case "n":
		return cmp.Compare(a.Count, b.Count)
	case "total":
		return cmp.Compare(a.Total(), b.Total())
	}
	return cmp.Compare(a.Exposed, b.Exposed)
}
