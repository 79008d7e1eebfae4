package knob

import (
	"fmt"
	"slices"
	"strconv"

	"planner/costmodel"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Knob is one thing to change.
type Knob struct {
	Name string // as in the tables
	Flag string // the flag of the command line, or "" for a part of the layout
	// values returns the values to offer, in order, and which is the present.
	values func(pt *Point) (texts []string, now int)
	// set changes a plan to a value, and what follows from it.
	set func(p *Plan, pt *Point, text string)
	// applies reports whether the knob means anything for a plan.
	applies func(pt *Point) bool
}

// Knobs are the knobs that apply to a plan, in the order of the screen.
func Knobs(pt *Point) []Knob {
	if pt.Answer == nil {
		return nil
	}
	var out []Knob
	for _, k := range all {
		if k.applies == nil || k.applies(pt) {
			out = append(out, k)
		}
	}
	return out
}

var all = []Knob{
	layoutKnob("TP", func(l *strategies.Layout) *int { return &l.TP }, powers(128), setTP, nil),
	layoutKnob("PP", func(l *strategies.Layout) *int { return &l.PP }, pipelines, setPP, nil),
	layoutKnob("VPP", func(l *strategies.Layout) *int { return &l.VPP }, virtuals, setVPP, nil),
	layoutKnob("CP", func(l *strategies.Layout) *int { return &l.CP }, powers(64), func(l *strategies.Layout, v int, _ *Point) { l.CP = v }, nil),
	layoutKnob("EP", func(l *strategies.Layout) *int { return &l.EP }, powers(512), func(l *strategies.Layout, v int, _ *Point) { l.EP = v }, hasExperts),
	layoutKnob("ZeRO", func(l *strategies.Layout) *int { return &l.Zero }, func(*Point) []int { return []int{0, 1, 2, 3} }, setZero, nil),
	layoutKnob("shard", func(l *strategies.Layout) *int { return &l.Shard }, shards,
		func(l *strategies.Layout, v int, _ *Point) { l.Shard = v }, func(pt *Point) bool { return pt.Layout.Zero > 0 }),
	layoutKnob("MBS", func(l *strategies.Layout) *int { return &l.MBS }, powers(16), func(l *strategies.Layout, v int, _ *Point) { l.MBS = v }, nil),
	{Name: "recompute", values: listed([]string{"none", "selective", "full"}, func(pt *Point) string { return pt.Layout.Recompute.String() }),
		set: func(p *Plan, _ *Point, text string) {
			p.Layout.Recompute = map[string]strategies.Recompute{"none": strategies.RecomputeNone, "selective": strategies.RecomputeSelective, "full": strategies.RecomputeFull}[text]
			p.Layout.FullLayers = 0
		}},
	{Name: "SP", values: listed([]string{"true", "false"}, func(pt *Point) string { return strconv.FormatBool(pt.Layout.SP) }),
		set:     func(p *Plan, _ *Point, text string) { p.Layout.SP = text == "true" },
		applies: func(pt *Point) bool { return pt.Layout.TP > 1 }},
	{Name: "schedule", values: schedules, set: func(p *Plan, _ *Point, text string) {
		p.Layout.Schedule = strategies.Schedule(slices.Index(costmodel.ScheduleNames(), text))
	}, applies: func(pt *Point) bool { return pt.Layout.PP > 1 && pt.Layout.VPP == 1 }},
	questionKnob("GBS", "--global-batch", around(func(pt *Point) int { return pt.Question.GlobalBatch }), func(p *Plan, text string) { p.Question.GlobalBatch = atoi(text) }),
	questionKnob("sequence", "--seq-len", sequences, func(p *Plan, text string) { p.Question.SeqLen = atoi(text) }),
	questionKnob("GPUs", "--gpus", around(func(pt *Point) int { return pt.Question.GPUs }), func(p *Plan, text string) { p.Question.GPUs = atoi(text) }),
	questionKnob("precision", "--precision", listed(hardware.Precisions(), func(pt *Point) string { return pt.Question.Precision }), func(p *Plan, text string) { p.Question.Precision = text }),
	questionKnob("hardware", "--hardware", hardwares, func(p *Plan, text string) { p.Question.Hardware = text }),
	{Name: "link", Flag: "--inter-node", values: links, set: setLink, applies: func(pt *Point) bool { return pt.Answer.Problem.Cluster.Nodes() > 1 }},
	questionKnob("framework", "--framework", listed(catalog.Frameworks(), func(pt *Point) string { return pt.Question.Framework }), func(p *Plan, text string) { p.Question.Framework = text }),
}

func layoutKnob(name string, get func(*strategies.Layout) *int, values func(*Point) []int, set func(*strategies.Layout, int, *Point), applies func(*Point) bool) Knob {
	return Knob{Name: name, applies: applies,
		values: func(pt *Point) ([]string, int) {
			now := *get(&pt.Layout)
			list := values(pt)
			if !slices.Contains(list, now) {
				list = append(list, now)
				slices.Sort(list)
			}
			texts := make([]string, len(list))
			for i, v := range list {
				texts[i] = strconv.Itoa(v)
			}
			return texts, slices.Index(list, now)
		},
		set: func(p *Plan, pt *Point, text string) { set(&p.Layout, atoi(text), pt) }}
}

func questionKnob(name, flag string, values func(*Point) ([]string, int), set func(*Plan, string)) Knob {
	return Knob{Name: name, Flag: flag, values: values, set: func(p *Plan, _ *Point, text string) { set(p, text) }}
}

func listed(texts []string, now func(*Point) string) func(*Point) ([]string, int) {
	return func(pt *Point) ([]string, int) { return texts, slices.Index(texts, now(pt)) }
}

// links are multiples of the network bandwidth that the cluster has.
func links(pt *Point) ([]string, int) {
	c := pt.Answer.Problem.Cluster
	now := c.Tiers[len(c.Tiers)-1].Bandwidth.Gbps()
	var texts []string
	for _, k := range []float64{0.25, 0.5, 1, 2, 4} {
		texts = append(texts, fmt.Sprintf("%.4gGb/s", now*k))
	}
	return texts, 2
}

func setLink(p *Plan, _ *Point, text string) {
	if b, err := unit.ParseBandwidth(text); err == nil {
		p.Question.Options.InterNode = b
	}
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func hasExperts(pt *Point) bool { return pt.Answer.Problem.Model.Experts() > 0 }
