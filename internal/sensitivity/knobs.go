// Package sensitivity says what each knob of a layout and each figure of the
// hardware does to it: the step, the memory, and whether another layout would
// be chosen.
package sensitivity

import (
	"planner/internal/bands"
	"planner/internal/knobs"
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

// Turns moves every knob to its next legal value, up first, under the layout's
// framework; where no value that way is legal the nearest says why.
func Turns(p *strategies.Problem, base *strategies.Estimate) []Knob {
	var out []Knob
	for _, k := range knobs.Of(p, &base.Layout) {
		for _, up := range []bool{true, false} {
			if m, ok := k.Next(p, base.Framework, base.Layout, up); ok {
				out = append(out, turned(p, base.Framework, &m))
			}
		}
	}
	return out
}

func turned(p *strategies.Problem, f *strategies.Profile, m *knobs.Move) Knob {
	out := Knob{Name: m.Knob, From: m.From, To: m.To}
	if m.Broken != nil {
		out.Reason = m.Broken.Reason
		return out
	}
	e := p.Estimate(m.Layout, f)
	bands.Fill(p, &e)
	out.Estimate = &e
	return out
}

// Neighbours returns every knob of a layout turned to its next legal value,
// both ways, where there is one.
func Neighbours(p *strategies.Problem, base *strategies.Estimate) []Knob {
	var out []Knob
	for _, k := range Turns(p, base) {
		if k.Estimate != nil {
			out = append(out, k)
		}
	}
	return out
}
