package state

import (
	"fmt"
	"strconv"

	"planner/costmodel/collective"
	"planner/internal/show"
	"planner/strategies"
)

// Column is one column of the table.
type Column struct {
	Key, Title string
	Left       bool
	Cell       func(p *strategies.Problem, r *Row) string
	Value      func(p *strategies.Problem, r *Row) float64 // to sort by; nil: by the cell
	// plain says that 1 (or 0 for ZeRO) in every row makes the column useless.
	plain bool
}

// AllColumns are the columns, in the order that every screen keeps.
var AllColumns = []Column{
	{Key: "#", Title: "#", Cell: func(_ *strategies.Problem, r *Row) string { return rank(r) }, Value: func(_ *strategies.Problem, r *Row) float64 { return float64(r.Estimate.Step) }},
	{Key: "tie", Title: "tie", Left: true, Cell: func(_ *strategies.Problem, r *Row) string { return tie(r) }, Value: func(_ *strategies.Problem, r *Row) float64 { return float64(r.Tie) }},
	degree("tp", "TP", false, func(l *strategies.Layout) int { return l.TP }),
	degree("pp", "PP", false, func(l *strategies.Layout) int { return l.PP }),
	degree("vpp", "VPP", true, func(l *strategies.Layout) int { return l.VPP }),
	degree("cp", "CP", true, func(l *strategies.Layout) int { return l.CP }),
	degree("ep", "EP", true, func(l *strategies.Layout) int { return l.EP }),
	degree("etp", "ETP", true, func(l *strategies.Layout) int { return l.ETP }),
	degree("dp", "DP", false, func(l *strategies.Layout) int { return l.DP }),
	degree("zero", "ZeRO", false, func(l *strategies.Layout) int { return l.Zero }),
	degree("shard", "shard", true, func(l *strategies.Layout) int { return l.Shard }),
	degree("mbs", "MBS", false, func(l *strategies.Layout) int { return l.MBS }),
	{Key: "rec", Title: "rec", Left: true, Cell: func(_ *strategies.Problem, r *Row) string { return show.RecomputeCell(&r.Estimate.Layout) }},
	number("step", "step s", "%.2f", func(_ *strategies.Problem, e *strategies.Estimate) float64 { return float64(e.Step) }),
	{Key: "band", Title: "band %", Cell: func(_ *strategies.Problem, r *Row) string { return Band(r.Estimate) }, Value: func(_ *strategies.Problem, r *Row) float64 { return float64(r.Estimate.High - r.Estimate.Low) }},
	number("mfu", "MFU %", "%.1f", func(p *strategies.Problem, e *strategies.Estimate) float64 { return 100 * p.Rates(e).MFU }),
	number("hfu", "HFU %", "%.1f", func(p *strategies.Problem, e *strategies.Estimate) float64 { return 100 * p.Rates(e).HFU }),
	number("tok", "tok/s/GPU", "%.0f", func(p *strategies.Problem, e *strategies.Estimate) float64 { return p.Rates(e).TokensPerSecondPerGPU }),
	number("mem", "mem GiB", "%.1f", func(_ *strategies.Problem, e *strategies.Estimate) float64 { return e.Memory.Total().GiB() }),
	number("cap", "cap %", "%.0f", func(p *strategies.Problem, e *strategies.Estimate) float64 {
		return 100 * float64(e.Memory.Total()/p.Capacity())
	}),
	{Key: "bound", Title: "bound", Left: true, Cell: func(_ *strategies.Problem, r *Row) string { return r.Estimate.Bound() }},
	{Key: "framework", Title: "framework", Left: true, Cell: func(_ *strategies.Problem, r *Row) string { return r.Estimate.Framework.Name }},
}

func degree(key, title string, plain bool, get func(*strategies.Layout) int) Column {
	return Column{Key: key, Title: title, plain: plain,
		Cell:  func(_ *strategies.Problem, r *Row) string { return strconv.Itoa(get(&r.Estimate.Layout)) },
		Value: func(_ *strategies.Problem, r *Row) float64 { return float64(get(&r.Estimate.Layout)) }}
}

func number(key, title, format string, get func(*strategies.Problem, *strategies.Estimate) float64) Column {
	return Column{Key: key, Title: title,
		Cell: func(p *strategies.Problem, r *Row) string {
			if format == "%.0f" {
				return show.Count(int(get(p, r.Estimate) + 0.5))
			}
			return fmt.Sprintf(format, get(p, r.Estimate))
		},
		Value: func(p *strategies.Problem, r *Row) float64 { return get(p, r.Estimate) }}
}

func rank(r *Row) string {
	if r.Rank == 0 {
		return "!"
	}
	return show.Count(r.Rank)
}

func tie(r *Row) string {
	switch {
	case r.Rank == 0:
		return "–"
	case r.Tie <= 26:
		return string(rune('a' + r.Tie - 1))
	}
	return strconv.Itoa(r.Tie)
}

// Band writes the ends of the 80 % band of an estimate in percent of its step.
func Band(e *strategies.Estimate) string {
	if e.High <= e.Low {
		return "—"
	}
	return fmt.Sprintf("%+.0f/%+.0f", 100*float64(e.Low/e.Step-1), 100*float64(e.High/e.Step-1))
}

// Shown returns the columns that are not hidden and say something.
func (s *State) Shown() []Column {
	var out []Column
	for _, c := range AllColumns {
		if s.Hidden[c.Key] || c.plain && s.useless(&c) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// useless reports a degree that is 1 in every row, ETP that is TP and a shard
// that is every data rank.
func (s *State) useless(c *Column) bool {
	for _, i := range s.Visible {
		l := &s.Rows[i].Estimate.Layout
		usual := 1
		switch c.Key {
		case "etp":
			usual = l.TP
		case "shard":
			usual = l.DataRanks()
		}
		if int(c.Value(nil, &s.Rows[i])) != usual {
			return false
		}
	}
	return true
}

// Part is one term of a step, for bars and sums.
type Part struct {
	Name, Letter string
	Seconds      float64
}

// Parts returns the terms of a step in the order of every bar.
func Parts(e *strategies.Estimate) []Part {
	x := func(a collective.Axis) float64 { return float64(e.Exposed[a]) }
	return []Part{
		{"compute", "█", float64(e.Compute)}, {"TP", "▓", x(collective.AxisTP)}, {"CP", "▚", x(collective.AxisCP)},
		{"EP", "▞", x(collective.AxisEP)}, {"bubble", "·", float64(e.Bubble)}, {"PP", "▒", x(collective.AxisPP)},
		{"DP", "░", x(collective.AxisDP)}, {"other", "-", x(collective.AxisOther)}, {"optimizer", "o", float64(e.Optimizer)},
		{"overhead", "_", float64(e.Overhead)},
	}
}
