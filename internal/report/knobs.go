package report

import (
	"fmt"

	"planner/strategies"
)

// Knob is the pick with one dimension moved to its next legal value.
type Knob struct {
	Name     string // such as "TP 4 → 8"
	Estimate strategies.Estimate
	Change   float64 // of the step, relative
}

// dimension is one knob: its values are tried in order until one is legal.
type dimension struct {
	name string
	get  func(*strategies.Layout) int
	set  func(*strategies.Layout, int)
	low  int
}

var dimensions = []dimension{
	{"TP", func(l *strategies.Layout) int { return l.TP }, func(l *strategies.Layout, v int) {
		if l.ETP == l.TP {
			l.ETP = v
		}
		l.SP = v > 1 && (l.SP || l.TP == 1)
		l.TP = v
	}, 1},
	{"PP", func(l *strategies.Layout) int { return l.PP }, func(l *strategies.Layout, v int) { l.PP = v }, 1},
	{"VPP", func(l *strategies.Layout) int { return l.VPP }, func(l *strategies.Layout, v int) { l.VPP = v }, 1},
	{"CP", func(l *strategies.Layout) int { return l.CP }, func(l *strategies.Layout, v int) { l.CP = v }, 1},
	{"EP", func(l *strategies.Layout) int { return l.EP }, func(l *strategies.Layout, v int) { l.EP = v }, 1},
	{"ZeRO", func(l *strategies.Layout) int { return l.Zero }, func(l *strategies.Layout, v int) { l.Zero = v }, 0},
	{"MBS", func(l *strategies.Layout) int { return l.MBS }, func(l *strategies.Layout, v int) { l.MBS = v }, 1},
}

// furthest is the largest factor that a knob is moved by.
const furthest = 8

// knobs moves each dimension of the pick one legal value up and down.
func knobs(p *strategies.Problem, pick *strategies.Estimate) []Knob {
	var out []Knob
	for _, d := range dimensions {
		v := d.get(&pick.Layout)
		for w := v - 1; w >= d.low; w-- {
			if k, ok := moved(p, pick, d, w); ok {
				out = append(out, k)
				break
			}
		}
		for w := v + 1; w <= max(3, v*furthest); w++ {
			if k, ok := moved(p, pick, d, w); ok {
				out = append(out, k)
				break
			}
		}
	}
	return append(out, recomputations(p, pick)...)
}

func moved(p *strategies.Problem, pick *strategies.Estimate, d dimension, to int) (Knob, bool) {
	was := d.get(&pick.Layout)
	for _, vpp := range chunks(&pick.Layout, d.name) {
		l := pick.Layout
		l.VPP = vpp
		d.set(&l, to)
		name := fmt.Sprintf("%s %d → %d", d.name, was, to)
		if l.VPP != pick.Layout.VPP && d.name != "VPP" {
			name += fmt.Sprintf(", VPP %d", l.VPP)
		}
		if settle(p, pick, &l) {
			if e, ok := try(p, pick.Framework, l); ok {
				return Knob{name, e, float64(e.Step/pick.Step) - 1}, true
			}
		}
	}
	return Knob{}, false
}

// chunks are the virtual stages to try: PP takes another number with it where
// the layers no longer divide.
func chunks(l *strategies.Layout, name string) []int {
	out := []int{l.VPP}
	if name == "PP" {
		for v := l.VPP - 1; v >= 1; v-- {
			out = append(out, v)
		}
	}
	return out
}

// settle makes the degrees multiply to the GPUs again and drops what no longer
// means anything. It reports whether they can.
func settle(p *strategies.Problem, pick *strategies.Estimate, l *strategies.Layout) bool {
	model := l.TP * l.CP * l.PP
	if p.Cluster.GPUs%model != 0 {
		return false
	}
	l.DP = p.Cluster.GPUs / model
	if old := &pick.Layout; old.Shard == old.DataRanks() || l.DataRanks()%l.Shard != 0 || old.Zero != l.Zero {
		l.Shard = l.DataRanks()
	}
	if l.PP == 1 {
		l.VPP = 1
	}
	switch {
	case l.VPP > 1:
		l.Schedule = strategies.Interleaved
	case l.Schedule == strategies.Interleaved || l.PP == 1:
		l.Schedule = strategies.OneFOneB
	}
	if l.PP != pick.Layout.PP || l.VPP != pick.Layout.VPP {
		l.First, l.Last = 0, 0
	}
	return *l != pick.Layout
}

// try estimates a layout under the pick's framework, else the first that runs
// it.
func try(p *strategies.Problem, first *strategies.Profile, l strategies.Layout) (strategies.Estimate, bool) {
	for _, f := range append([]*strategies.Profile{first}, p.Profiles...) {
		if p.Check(&l, f) == nil {
			return p.Estimate(l, f), true
		}
	}
	return strategies.Estimate{}, false
}

func recomputations(p *strategies.Problem, pick *strategies.Estimate) []Knob {
	var out []Knob
	for _, rec := range []strategies.Recompute{strategies.RecomputeNone, strategies.RecomputeSelective, strategies.RecomputeFull} {
		l := pick.Layout
		l.Recompute, l.FullLayers = rec, 0
		if p.Work.Forward || rec == pick.Layout.Recompute {
			continue
		}
		if e, ok := try(p, pick.Framework, l); ok && (e.Step != pick.Step || e.Memory != pick.Memory) {
			out = append(out, Knob{fmt.Sprintf("recompute %s → %s", pick.Layout.Recompute, rec), e, float64(e.Step/pick.Step) - 1})
		}
	}
	return out
}
