package knobs

import (
	"slices"
	"strconv"

	"planner/costmodel"
	"planner/strategies"
)

// one is the only way that a change is followed.
func one(l strategies.Layout) []strategies.Layout { return []strategies.Layout{l} }

var all = []Knob{
	number("TP", func(l *strategies.Layout) *int { return &l.TP }, ranks, tensor, nil),
	number("PP", func(l *strategies.Layout) *int { return &l.PP }, ranks, pipeline, nil),
	number("VPP", func(l *strategies.Layout) *int { return &l.VPP }, chunks, virtual,
		func(_ *strategies.Problem, l *strategies.Layout) bool { return l.PP > 1 }),
	number("CP", func(l *strategies.Layout) *int { return &l.CP }, ranks, contextual, nil),
	number("EP", func(l *strategies.Layout) *int { return &l.EP }, experts, alone,
		func(p *strategies.Problem, _ *strategies.Layout) bool { return p.Model.Experts() > 0 }),
	number("ZeRO", func(l *strategies.Layout) *int { return &l.Zero }, func(*strategies.Problem, *strategies.Layout) []int { return []int{0, 1, 2, 3} }, staged, nil),
	number("shard", func(l *strategies.Layout) *int { return &l.Shard }, shards, alone,
		func(_ *strategies.Problem, l *strategies.Layout) bool { return l.Zero > 0 }),
	number("MBS", func(l *strategies.Layout) *int { return &l.MBS }, batches, alone, nil),
	word("recompute", []string{"none", "selective", "full"}, func(l *strategies.Layout) string { return l.Recompute.String() },
		func(l *strategies.Layout, at int) { l.Recompute, l.FullLayers = strategies.Recompute(at), 0 }, nil),
	word("SP", []string{"false", "true"}, func(l *strategies.Layout) string { return strconv.FormatBool(l.SP) },
		func(l *strategies.Layout, at int) { l.SP = at == 1 },
		func(_ *strategies.Problem, l *strategies.Layout) bool { return l.TP > 1 }),
	word("schedule", flat(), func(l *strategies.Layout) string { return l.Schedule.String() },
		func(l *strategies.Layout, at int) {
			l.Schedule = strategies.Schedule(slices.Index(costmodel.ScheduleNames(), flat()[at]))
		},
		func(_ *strategies.Problem, l *strategies.Layout) bool { return l.PP > 1 && l.VPP == 1 }),
}

// flat are the orders of a pipeline without virtual stages.
func flat() []string {
	return slices.DeleteFunc(slices.Clone(costmodel.ScheduleNames()), func(n string) bool { return n == strategies.Interleaved.String() })
}

// number is a knob of whole numbers; a present one that is not offered stands
// among the others.
func number(name string, at func(*strategies.Layout) *int, values func(*strategies.Problem, *strategies.Layout) []int,
	follow func(p *strategies.Problem, was, now strategies.Layout) []strategies.Layout, applies func(*strategies.Problem, *strategies.Layout) bool) Knob {
	return Knob{Name: name, applies: applies,
		read: func(l *strategies.Layout) string { return strconv.Itoa(*at(l)) },
		values: func(p *strategies.Problem, l *strategies.Layout) (texts []string) {
			list := append(values(p, l), *at(l))
			slices.Sort(list)
			for _, v := range slices.Compact(list) {
				texts = append(texts, strconv.Itoa(v))
			}
			return texts
		},
		set: func(p *strategies.Problem, l strategies.Layout, to string) []strategies.Layout {
			now := l
			*at(&now), _ = strconv.Atoi(to)
			return follow(p, l, now)
		}}
}

// word is a knob of named values.
func word(name string, values []string, read func(*strategies.Layout) string, set func(l *strategies.Layout, at int), applies func(*strategies.Problem, *strategies.Layout) bool) Knob {
	return Knob{Name: name, applies: applies, read: read,
		values: func(*strategies.Problem, *strategies.Layout) []string { return values },
		set: func(_ *strategies.Problem, l strategies.Layout, to string) []strategies.Layout {
			set(&l, max(0, slices.Index(values, to)))
			return one(l)
		}}
}
