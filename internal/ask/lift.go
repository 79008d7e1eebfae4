package ask

import (
	"slices"
	"strings"

	"planner/strategies"
)

// limit is one constraint of a search, as the flag that sets it.
type limit struct {
	flag  string
	given func(*strategies.Space) bool
	lift  func(*strategies.Space)
}

// values is a limit whose field lists the values allowed.
func values[T any](flag string, field func(*strategies.Space) *[]T) limit {
	return limit{flag, func(s *strategies.Space) bool { return *field(s) != nil }, func(s *strategies.Space) { *field(s) = nil }}
}

// degree is a limit whose field is 0 unless given.
func degree(flag string, field func(*strategies.Space) *int) limit {
	return limit{flag, func(s *strategies.Space) bool { return *field(s) > 0 }, func(s *strategies.Space) { *field(s) = 0 }}
}

// limits are the constraints that can be lifted, those first that users hold to
// most: what is kept of several that together leave no room is kept from the top.
var limits = []limit{
	{"--max-memory", func(s *strategies.Space) bool { return s.MaxMemory > 0 }, func(s *strategies.Space) { s.MaxMemory = 0 }},
	values("--exclude", func(s *strategies.Space) *[]strategies.Pattern { return &s.Exclude }),
	degree("--min-dp", func(s *strategies.Space) *int { return &s.MinDP }),
	degree("--max-dp", func(s *strategies.Space) *int { return &s.MaxDP }),
	values("--schedule", func(s *strategies.Space) *[]strategies.Schedule { return &s.Schedules }),
	values("--cpkind", func(s *strategies.Space) *[]strategies.CPKind { return &s.CPKinds }),
	values("--dispatcher", func(s *strategies.Space) *[]strategies.Dispatcher { return &s.Dispatchers }),
	values("--hpz", func(s *strategies.Space) *[]int { return &s.HPZ }),
	values("--vpp", func(s *strategies.Space) *[]int { return &s.VPP }),
	values("--cp", func(s *strategies.Space) *[]int { return &s.CP }),
	values("--etp", func(s *strategies.Space) *[]int { return &s.ETP }),
	values("--ep", func(s *strategies.Space) *[]int { return &s.EP }),
	{"--first and --last", func(s *strategies.Space) bool { return s.First+s.Last > 0 }, func(s *strategies.Space) { s.First, s.Last = 0, 0 }},
	values("--pp", func(s *strategies.Space) *[]int { return &s.PP }),
	values("--tp", func(s *strategies.Space) *[]int { return &s.TP }),
	values("--sp", func(s *strategies.Space) *[]bool { return &s.SP }),
	values("--shard", func(s *strategies.Space) *[]int { return &s.Shard }),
	values("--zero", func(s *strategies.Space) *[]int { return &s.Zero }),
	values("--mbs", func(s *strategies.Space) *[]int { return &s.MBS }),
	{"--recompute", func(s *strategies.Space) bool { return s.Recompute != nil || s.FullLayers > 0 },
		func(s *strategies.Space) { s.Recompute, s.FullLayers = nil, 0 }},
}

// withoutLimits lifts as few of the constraints as needed for something to
// fit: all of them, less each that can stay. nil where none of them is to blame.
func withoutLimits(a *Answer, _ *strategies.Estimate) *Knob {
	lifted := slices.DeleteFunc(slices.Clone(limits), func(l limit) bool { return !l.given(&a.searched) })
	if len(lifted) == 0 {
		return nil
	}
	s := without(a.searched, lifted)
	e := best(a, s)
	if e == nil || !e.Fits {
		return nil
	}
	for i := 0; i < len(lifted) && len(lifted) > 1; {
		fewer := slices.Delete(slices.Clone(lifted), i, i+1)
		t := without(a.searched, fewer)
		if f := best(a, t); f != nil && f.Fits {
			lifted, s, e = fewer, t, f
			continue
		}
		i++
	}
	return knob(a, &s, e, "without "+flags(lifted), "gives up what you asked for; fits as "+e.Layout.String())
}

func without(s strategies.Space, lifted []limit) strategies.Space {
	for _, l := range lifted {
		l.lift(&s)
	}
	return s
}

func flags(lifted []limit) string {
	var names []string
	for _, l := range lifted {
		names = append(names, l.flag)
	}
	return strings.Join(names, " ")
}
