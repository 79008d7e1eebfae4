package knob

import (
	"fmt"
	"slices"
	"strconv"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/knobs"
)

// Knob is one thing to change: a dimension of the layout, or a part of the
// question.
type Knob struct {
	Name string // as in the tables
	Flag string // the flag of the command line, or "" for a part of the layout
	part *knobs.Knob
	// values returns the values to offer, in order, and which is the present.
	values func(pt *Point) (texts []string, now int)
	// set changes a question to a value.
	set func(q *ask.Question, text string)
	// applies reports whether the knob means anything for a plan.
	applies func(pt *Point) bool
}

// Knobs are the knobs that apply to a plan, in the order of the screen.
func Knobs(pt *Point) []Knob {
	if pt.Answer == nil {
		return nil
	}
	var out []Knob
	for _, k := range knobs.Of(pt.Answer.Problem, &pt.Layout) {
		out = append(out, Knob{Name: k.Name, part: &k, values: func(pt *Point) ([]string, int) { return k.Values(pt.Answer.Problem, &pt.Layout) }})
	}
	for _, k := range questions {
		if k.applies == nil || k.applies(pt) {
			out = append(out, k)
		}
	}
	return out
}

var questions = []Knob{
	{Name: "GBS", Flag: "--global-batch", values: around(func(pt *Point) int { return pt.Question.GlobalBatch }), set: func(q *ask.Question, text string) { q.GlobalBatch = atoi(text) }},
	{Name: "sequence", Flag: "--seq-len", values: sequences, set: func(q *ask.Question, text string) { q.SeqLen = atoi(text) }},
	{Name: "GPUs", Flag: "--gpus", values: around(func(pt *Point) int { return pt.Question.GPUs }), set: func(q *ask.Question, text string) { q.GPUs = atoi(text) }},
	{Name: "precision", Flag: "--precision", values: listed(hardware.Precisions(), func(pt *Point) string { return pt.Question.Precision }), set: func(q *ask.Question, text string) { q.Precision = text }},
	{Name: "hardware", Flag: "--hardware", values: hardwares, set: func(q *ask.Question, text string) { q.Hardware = text }},
	{Name: "link", Flag: "--inter-node", values: links, set: setLink, applies: func(pt *Point) bool { return pt.Answer.Problem.Cluster.Nodes() > 1 }},
	{Name: "framework", Flag: "--framework", values: listed(catalog.Frameworks(), func(pt *Point) string { return pt.Question.Framework }), set: func(q *ask.Question, text string) { q.Framework = text }},
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

func setLink(q *ask.Question, text string) {
	if b, err := unit.ParseBandwidth(text); err == nil {
		q.Options.InterNode = b
	}
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
