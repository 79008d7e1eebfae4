// Package knobs turns one dimension of a layout at a time to its next legal
// value: which values there are, what has to follow, and what forbids one.
package knobs

import (
	"slices"

	"planner/strategies"
)

// Knob is one dimension of a layout.
type Knob struct {
	Name string // as in the tables
	// values are in order; read writes the present one as they are written.
	values func(p *strategies.Problem, l *strategies.Layout) []string
	read   func(l *strategies.Layout) string
	// set returns l at a value, in the ways that what depends on it may
	// follow: the way that changes least first.
	set     func(p *strategies.Problem, l strategies.Layout, to string) []strategies.Layout
	applies func(p *strategies.Problem, l *strategies.Layout) bool
}

// Of returns the knobs that mean anything for a layout, in the order of the
// tables.
func Of(p *strategies.Problem, l *strategies.Layout) []Knob {
	var out []Knob
	for _, k := range all {
		if k.applies == nil || k.applies(p, l) {
			out = append(out, k)
		}
	}
	return out
}

// Values returns the values to offer, in order, and the index of the present.
func (k *Knob) Values(p *strategies.Problem, l *strategies.Layout) (texts []string, now int) {
	texts = k.values(p, l)
	return texts, slices.Index(texts, k.read(l))
}

// Turn sets a knob to one of its values under a framework, and lets follow what
// must: the data-parallel ranks and their shard (Spread), and of the rest only
// what would be illegal as it is. The violation is that of the last way tried.
func (k *Knob) Turn(p *strategies.Problem, f *strategies.Profile, l strategies.Layout, to string) (out strategies.Layout, v *strategies.Violation) {
	for _, way := range k.set(p, l, to) {
		if out, v = Spread(p, &l, way); v == nil {
			v = p.Check(&out, f)
		}
		if v == nil {
			break
		}
	}
	return out, v
}

// Move is a knob turned.
type Move struct {
	Knob, From, To string
	Layout         strategies.Layout
	// Broken is nil where To is legal; else no value that way is, and it is what
	// forbids the nearest.
	Broken *strategies.Violation
}

// Next turns a knob to its next legal value, up or down; ok is false at the end
// of its values.
func (k *Knob) Next(p *strategies.Problem, f *strategies.Profile, l strategies.Layout, up bool) (m Move, ok bool) {
	texts, now := k.Values(p, &l)
	by := -1
	if up {
		by = 1
	}
	for i := now + by; now >= 0 && i >= 0 && i < len(texts); i += by {
		next, v := k.Turn(p, f, l, texts[i])
		if v == nil || !ok {
			m, ok = Move{k.Name, texts[now], texts[i], next, v}, true
		}
		if v == nil {
			break
		}
	}
	return m, ok
}

// Spread gives the data-parallel ranks of a changed layout what its other
// degrees leave of the cluster. A shard over all of them stays over all;
// another stays while it divides them, and else is over all.
func Spread(p *strategies.Problem, was *strategies.Layout, now strategies.Layout) (strategies.Layout, *strategies.Violation) {
	shard := now.Shard
	now.DP, now.Shard = 0, 0
	now, v := now.Complete(p.Cluster.GPUs)
	if v != nil {
		return now, v
	}
	whole := shard == was.Shard && shard == was.DataRanks()
	if now.Zero > 0 && shard > 0 && !whole && now.DataRanks()%shard == 0 {
		now.Shard = shard
	}
	return p.Settle(now), nil
}
