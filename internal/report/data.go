package report

import (
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// Data is what a page holds for other commands: the question, the
// recommended layout, and the documents of explain and suggest.
type Data struct {
	SchemaVersion int              `json:"schema_version"`
	Kind          string           `json:"kind"` // always Kind
	Planner       string           `json:"planner"`
	Date          string           `json:"date"`
	Question      Question         `json:"question"`
	Layout        string           `json:"layout"`
	Framework     string           `json:"framework"`
	Explanation   show.Explanation `json:"explanation"`
	Suggestion    show.Suggestion  `json:"suggestion"`
	// CallStages lists the stages whose calls Explanation holds, where all
	// would make the page too large; empty: all.
	CallStages []int `json:"call_stages,omitempty"`
}

// Kind tells a report's data from other documents.
const Kind = "planner-report"

// Question is ask.Question as a document.
type Question struct {
	Model       string  `json:"model"`
	Hardware    string  `json:"hardware"`
	GPUs        int     `json:"gpus"`
	SeqLen      int     `json:"seq_len"`
	GlobalBatch int     `json:"global_batch"`
	Precision   string  `json:"precision"`
	Framework   string  `json:"framework"`
	Pass        string  `json:"pass,omitempty"`
	Trainable   float64 `json:"trainable,omitempty"`
	Attention   string  `json:"attention,omitempty"`
	Imbalance   float64 `json:"imbalance,omitempty"`
	Capacity    float64 `json:"capacity_factor,omitempty"`
	AllowLong   bool    `json:"allow_long,omitempty"`

	GPUsPerNode int     `json:"gpus_per_node,omitempty"`
	Domain      int     `json:"domain_gpus,omitempty"`
	InterNode   float64 `json:"inter_node_bytes_per_second,omitempty"`
	Fabric      string  `json:"fabric,omitempty"`
	NICs        int     `json:"nics_per_node,omitempty"`
	Latency     float64 `json:"latency_seconds,omitempty"`
}

func newQuestion(q *ask.Question) Question {
	o := &q.Options
	return Question{q.Model, q.Hardware, q.GPUs, q.SeqLen, q.GlobalBatch, q.Precision, q.Framework, q.Pass, q.Trainable, q.Attention, q.Imbalance, q.Capacity, q.AllowLong,
		o.GPUsPerNode, o.Domain, float64(o.InterNode), string(o.Fabric), o.NICs, float64(o.Latency)}
}

// Ask returns the question in the words of package ask, with the layout of the
// page.
func (q *Question) Ask() ask.Question {
	return ask.Question{Model: q.Model, Hardware: q.Hardware, GPUs: q.GPUs, SeqLen: q.SeqLen, GlobalBatch: q.GlobalBatch, Precision: q.Precision, Framework: q.Framework, Pass: q.Pass,
		Trainable: q.Trainable, Attention: q.Attention, Imbalance: q.Imbalance, Capacity: q.Capacity, AllowLong: q.AllowLong, Dispatched: true,
		Options: catalog.ClusterOptions{GPUsPerNode: q.GPUsPerNode, Domain: q.Domain, InterNode: unit.BytesPerSecond(q.InterNode), Fabric: hardware.LinkKind(q.Fabric),
			NICs: q.NICs, Latency: unit.Seconds(q.Latency)}}
}

// mostCalls bounds the rows of calls that a page embeds: some 400 bytes each.
const mostCalls = 800

// newData collects what a page embeds. The ranking holds the ten best.
func newData(r *Review) Data {
	short := *r.Search
	short.Ranking = short.Ranking[:min(10, len(short.Ranking))]
	d := Data{SchemaVersion: show.SchemaVersion, Kind: Kind, Planner: r.Version, Date: r.Date.Format("2006-01-02"), Question: newQuestion(&r.Answer.Question),
		Layout: r.Pick.Layout.String(), Framework: r.Pick.Framework.Name,
		Explanation: show.NewExplanation(r.Answer, r.Pick), Suggestion: show.NewSuggestion(r.Answer, &short, nil)}
	if len(d.Explanation.Calls) > mostCalls {
		d.CallStages = shownCalls(r.Pick)
		d.Explanation.Calls = callsOf(d.Explanation.Calls, d.CallStages)
	}
	return d
}

// shownCalls are the stages whose calls differ: the first two, the slowest and
// the last.
func shownCalls(x *strategies.Explanation) []int {
	var out []int
	for s := range x.Stages {
		if s < 2 || s == x.Slowest || s == len(x.Stages)-1 {
			out = append(out, s)
		}
	}
	return out
}

func callsOf(calls []show.Call, stages []int) []show.Call {
	keep := map[int]bool{}
	for _, s := range stages {
		keep[s] = true
	}
	var out []show.Call
	for _, c := range calls {
		if keep[c.Stage] {
			out = append(out, c)
		}
	}
	return out
}
