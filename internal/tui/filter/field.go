package filter

import (
	"strconv"

	"planner/strategies"
)

// number is a field that compares as a number, in the unit of its column.
type number struct {
	name string
	of   func(p *strategies.Problem, e *strategies.Estimate) float64
	// push narrows a search to values of the field, where a search can.
	push func(s *strategies.Space) *[]int
}

// numbers are the fields in the order of the table's columns.
var numbers = []number{
	degree("tp", func(l *strategies.Layout) int { return l.TP }, func(s *strategies.Space) *[]int { return &s.TP }),
	degree("pp", func(l *strategies.Layout) int { return l.PP }, func(s *strategies.Space) *[]int { return &s.PP }),
	degree("vpp", func(l *strategies.Layout) int { return l.VPP }, func(s *strategies.Space) *[]int { return &s.VPP }),
	degree("cp", func(l *strategies.Layout) int { return l.CP }, func(s *strategies.Space) *[]int { return &s.CP }),
	degree("ep", func(l *strategies.Layout) int { return l.EP }, func(s *strategies.Space) *[]int { return &s.EP }),
	degree("etp", func(l *strategies.Layout) int { return l.ETP }, nil),
	degree("dp", func(l *strategies.Layout) int { return l.DP }, nil),
	degree("zero", func(l *strategies.Layout) int { return l.Zero }, func(s *strategies.Space) *[]int { return &s.Zero }),
	degree("shard", func(l *strategies.Layout) int { return l.Shard }, nil),
	degree("mbs", func(l *strategies.Layout) int { return l.MBS }, func(s *strategies.Space) *[]int { return &s.MBS }),
	{"step", func(_ *strategies.Problem, e *strategies.Estimate) float64 { return float64(e.Step) }, nil},
	{"mfu", func(p *strategies.Problem, e *strategies.Estimate) float64 { return p.Rates(e).MFU }, nil},
	{"tok", func(p *strategies.Problem, e *strategies.Estimate) float64 { return p.Rates(e).TokensPerSecondPerGPU }, nil},
	{"mem", func(_ *strategies.Problem, e *strategies.Estimate) float64 { return float64(e.Memory.Total()) }, nil},
}

func degree(name string, get func(*strategies.Layout) int, push func(*strategies.Space) *[]int) number {
	return number{name, func(_ *strategies.Problem, e *strategies.Estimate) float64 { return float64(get(&e.Layout)) }, push}
}

// text is a field that compares as a word.
type word struct {
	name string
	of   func(e *strategies.Estimate) string
}

var words = []word{
	{"recompute", func(e *strategies.Estimate) string { return e.Layout.Recompute.String() }},
	{"schedule", func(e *strategies.Estimate) string { return e.Layout.Schedule.String() }},
	{"framework", func(e *strategies.Estimate) string { return e.Framework.Name }},
	{"bound", func(e *strategies.Estimate) string { return e.Bound() }},
	{"sp", func(e *strategies.Estimate) string { return strconv.FormatBool(e.Layout.SP) }},
	{"fits", func(e *strategies.Estimate) string { return strconv.FormatBool(e.Fits) }},
}

// Fields returns the names that a term may compare.
func Fields() []string {
	var out []string
	for _, n := range numbers {
		out = append(out, n.name)
	}
	for _, w := range words {
		out = append(out, w.name)
	}
	return out
}
