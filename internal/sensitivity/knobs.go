// Package sensitivity says what each knob of a layout and each figure of the
// hardware does to it: the step, the memory, and whether another layout would
// be chosen.
package sensitivity

import (
	"strconv"

	"planner/costmodel"
	"planner/strategies"
)

// Knob is one change of a layout by one legal value.
type Knob struct {
	Name     string
	From, To string
	// Estimate is of the changed layout; nil where no legal value lies that
	// way, and then Reason says why.
	Estimate *strategies.Estimate
	Reason   string
}

// knob moves one dimension of a layout; ok is false at the end of its values.
type knob struct {
	name string
	read func(*strategies.Layout) string
	move func(p *strategies.Problem, l *strategies.Layout, up bool) (ok bool)
}

// limit ends the search for the next legal degree.
const limit = 1 << 20

// degree doubles or halves a degree, and gives or takes the data ranks.
func degree(at func(*strategies.Layout) *int) func(*strategies.Problem, *strategies.Layout, bool) bool {
	return func(p *strategies.Problem, l *strategies.Layout, up bool) bool {
		v := at(l)
		if !scale(v, up) {
			return false
		}
		return spread(p, l)
	}
}

func scale(v *int, up bool) bool {
	switch {
	case up && *v <= limit/2:
		*v *= 2
	case !up && *v > 1 && *v%2 == 0:
		*v /= 2
	default:
		return false
	}
	return true
}

// spread sets DP to the ranks that are left, and keeps ZeRO over all of them.
func spread(p *strategies.Problem, l *strategies.Layout) bool {
	model := l.TP * l.CP * l.PP
	if p.Cluster.GPUs%model != 0 {
		return false
	}
	l.DP = p.Cluster.GPUs / model
	l.Shard = l.DataRanks()
	return true
}

// step moves a number to its next value within bounds.
func step(v *int, up bool, least, most int) bool {
	next := *v - 1
	if up {
		next = *v + 1
	}
	if next < least || next > most {
		return false
	}
	*v = next
	return true
}

func number(get func(*strategies.Layout) int) func(*strategies.Layout) string {
	return func(l *strategies.Layout) string { return strconv.Itoa(get(l)) }
}

var knobs = []knob{
	{"TP", number(func(l *strategies.Layout) int { return l.TP }), func(p *strategies.Problem, l *strategies.Layout, up bool) bool {
		same := l.ETP == l.TP
		ok := degree(func(l *strategies.Layout) *int { return &l.TP })(p, l, up)
		if same {
			l.ETP = l.TP
		}
		l.SP = l.TP > 1
		return ok
	}},
	{"PP", number(func(l *strategies.Layout) int { return l.PP }), func(p *strategies.Problem, l *strategies.Layout, up bool) bool {
		l.First, l.Last = 0, 0
		ok := degree(func(l *strategies.Layout) *int { return &l.PP })(p, l, up)
		if l.PP == 1 {
			l.VPP = 1
		}
		schedule(l)
		return ok
	}},
	{"VPP", number(func(l *strategies.Layout) int { return l.VPP }), func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		ok := l.PP > 1 && step(&l.VPP, up, 1, 64)
		schedule(l)
		return ok
	}},
	{"CP", number(func(l *strategies.Layout) int { return l.CP }), degree(func(l *strategies.Layout) *int { return &l.CP })},
	{"EP", number(func(l *strategies.Layout) int { return l.EP }), func(p *strategies.Problem, l *strategies.Layout, up bool) bool {
		return p.Model.Experts() > 0 && scale(&l.EP, up)
	}},
	{"ZeRO", number(func(l *strategies.Layout) int { return l.Zero }), func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		ok := step(&l.Zero, up, 0, 3)
		if l.Zero == 0 {
			l.Shard = l.DataRanks()
		}
		if l.Zero != 3 {
			l.HPZ = 0
		}
		return ok
	}},
	{"shard", number(func(l *strategies.Layout) int { return l.Shard }), func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		return l.Zero > 0 && scale(&l.Shard, up) && l.Shard <= l.DataRanks()
	}},
	{"MBS", number(func(l *strategies.Layout) int { return l.MBS }), func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		return scale(&l.MBS, up)
	}},
	{"recompute", func(l *strategies.Layout) string { return l.Recompute.String() }, func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		v := int(l.Recompute)
		ok := step(&v, up, 0, 2)
		l.Recompute, l.FullLayers = strategies.Recompute(v), 0
		return ok
	}},
	{"SP", func(l *strategies.Layout) string { return strconv.FormatBool(l.SP) }, func(_ *strategies.Problem, l *strategies.Layout, up bool) bool {
		ok := l.TP > 1 && l.SP != up
		l.SP = up
		return ok
	}},
}

func schedule(l *strategies.Layout) {
	l.Schedule = costmodel.OneFOneB
	if l.VPP > 1 {
		l.Schedule = costmodel.Interleaved
	}
}

// tries bounds the values passed over on the way to a legal one.
const tries = 64

// turn moves a knob to its next legal value under the layout's framework.
func (k *knob) turn(p *strategies.Problem, base *strategies.Estimate, up bool) *Knob {
	out := &Knob{Name: k.name, From: k.read(&base.Layout)}
	l := base.Layout
	for range tries {
		if !k.move(p, &l, up) {
			break
		}
		v := p.Check(&l, base.Framework)
		if v == nil {
			e := p.Estimate(l, base.Framework)
			out.To, out.Estimate = k.read(&l), &e
			return out
		}
		if out.Reason == "" {
			out.To, out.Reason = k.read(&l), v.Reason
		}
	}
	if out.Reason == "" {
		return nil
	}
	return out
}

// turnAll moves every knob both ways, up first.
func turnAll(p *strategies.Problem, base *strategies.Estimate) []Knob {
	var out []Knob
	for i := range knobs {
		for _, up := range []bool{true, false} {
			if k := knobs[i].turn(p, base, up); k != nil {
				out = append(out, *k)
			}
		}
	}
	return out
}

// Neighbours returns every knob of a layout turned to its next legal value,
// both ways, where there is one.
func Neighbours(p *strategies.Problem, base *strategies.Estimate) []Knob {
	var out []Knob
	for _, k := range turnAll(p, base) {
		if k.Estimate != nil {
			out = append(out, k)
		}
	}
	return out
}
