// Package plan keeps plans in files: the question, the layout that answers it
// and what was predicted of it, so that a plan can be versioned, checked and
// asked again after presets have changed.
package plan

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// Format is the version of the file format.
const Format = 1

// Plan is a saved plan.
type Plan struct {
	Format    int      `toml:"format"`
	Planner   string   `toml:"planner"` // version that saved it
	Saved     string   `toml:"saved"`   // day, YYYY-MM-DD
	Layout    string   `toml:"layout"`
	Framework string   `toml:"framework"`
	Question  Question `toml:"question"`
	Predicted Figures  `toml:"predicted"`

	// From names the kind of file that the plan was read from: "plan",
	// "suggest", "explain" or "report".
	From string `toml:"-"`
	File string `toml:"-"` // its name, for faults; "" of a new plan
}

// Question is what was asked, every default filled in; what is 0, empty or
// false was left to the preset.
type Question struct {
	Model       string  `toml:"model" json:"model"`
	GPUs        int     `toml:"gpus" json:"gpus"`
	Hardware    string  `toml:"hardware" json:"hardware"`
	SeqLen      int     `toml:"seq_len" json:"seq_len"`
	GlobalBatch int     `toml:"global_batch" json:"global_batch"`
	Precision   string  `toml:"precision" json:"precision"`
	Framework   string  `toml:"framework" json:"framework"`
	Pass        string  `toml:"pass" json:"pass"`
	Attention   string  `toml:"attention" json:"attention"`
	Trainable   float64 `toml:"trainable" json:"trainable"`
	Imbalance   float64 `toml:"imbalance" json:"imbalance"`
	Capacity    float64 `toml:"capacity_factor" json:"capacity_factor"`
	AllowLong   bool    `toml:"allow_long" json:"allow_long"`

	// What replaces parts of the cluster's description, in ranks, bytes per
	// second per GPU and direction, ports, and seconds.
	GPUsPerNode int     `toml:"gpus_per_node" json:"gpus_per_node"`
	Domain      int     `toml:"domain_gpus" json:"domain_gpus"`
	InterNode   float64 `toml:"inter_node_bytes_per_second" json:"inter_node_bytes_per_second"`
	Fabric      string  `toml:"fabric" json:"fabric"`
	NICs        int     `toml:"nics_per_node" json:"nics_per_node"`
	Latency     float64 `toml:"latency_seconds" json:"latency_seconds"`
}

// newQuestion keeps what was asked, under the name of the model.
func newQuestion(q *ask.Question, model string) Question {
	o := &q.Options
	return Question{
		Model: model, GPUs: q.GPUs, Hardware: q.Hardware, SeqLen: q.SeqLen, GlobalBatch: q.GlobalBatch, Precision: q.Precision,
		Framework: q.Framework, Pass: q.Pass, Attention: q.Attention, Trainable: q.Trainable, Imbalance: q.Imbalance, Capacity: q.Capacity,
		AllowLong: q.AllowLong, GPUsPerNode: o.GPUsPerNode, Domain: o.Domain, InterNode: float64(o.InterNode), Fabric: string(o.Fabric),
		NICs: o.NICs, Latency: float64(o.Latency),
	}
}

// asked is the question as it is answered, with the layout of the plan.
func (q *Question) asked() ask.Question {
	return ask.Question{
		Model: q.Model, Hardware: q.Hardware, GPUs: q.GPUs, SeqLen: q.SeqLen, GlobalBatch: q.GlobalBatch, Precision: q.Precision,
		Framework: q.Framework, Pass: q.Pass, Trainable: q.Trainable, Attention: q.Attention, Imbalance: q.Imbalance, Capacity: q.Capacity,
		AllowLong: q.AllowLong, Dispatched: true,
		Options: catalog.ClusterOptions{GPUsPerNode: q.GPUsPerNode, Domain: q.Domain, InterNode: unit.BytesPerSecond(q.InterNode),
			Fabric: hardware.LinkKind(q.Fabric), NICs: q.NICs, Latency: unit.Seconds(q.Latency)},
	}
}

// Figures are the predictions of a plan in base units: seconds, bytes,
// fractions.
type Figures struct {
	Step         float64 `toml:"step_seconds" json:"step_seconds"`
	Low          float64 `toml:"step_seconds_low" json:"step_seconds_low"`
	High         float64 `toml:"step_seconds_high" json:"step_seconds_high"`
	MFU          float64 `toml:"mfu" json:"mfu"`
	Tokens       float64 `toml:"tokens_per_second_per_gpu" json:"tokens_per_second_per_gpu"`
	Memory       float64 `toml:"memory_bytes" json:"memory_bytes"`
	Usable       float64 `toml:"usable_bytes" json:"usable_bytes"`
	Fits         bool    `toml:"fits" json:"fits"`
	Bound        string  `toml:"bound" json:"bound"`
	MicroBatches int     `toml:"micro_batches" json:"micro_batches"`
	Compute      float64 `toml:"compute_seconds" json:"compute_seconds"`
	Bubble       float64 `toml:"bubble_seconds" json:"bubble_seconds"`
	TP           float64 `toml:"exposed_tp_seconds" json:"exposed_tp_seconds"`
	CP           float64 `toml:"exposed_cp_seconds" json:"exposed_cp_seconds"`
	EP           float64 `toml:"exposed_ep_seconds" json:"exposed_ep_seconds"`
	PP           float64 `toml:"exposed_pp_seconds" json:"exposed_pp_seconds"`
	DP           float64 `toml:"exposed_dp_seconds" json:"exposed_dp_seconds"`
	Other        float64 `toml:"exposed_other_seconds" json:"exposed_other_seconds"`
	Optimizer    float64 `toml:"optimizer_seconds" json:"optimizer_seconds"`
	Overhead     float64 `toml:"overhead_seconds" json:"overhead_seconds"`
}

// FiguresOf reads the figures of an estimate.
func FiguresOf(p *strategies.Problem, e *strategies.Estimate) Figures {
	return figures(show.NewLayout(p, e, 1, 1), float64(p.Capacity()))
}

func figures(l show.Layout, usable float64) Figures {
	return Figures{
		Step: l.Step, Low: l.Low, High: l.High, MFU: l.MFU, Tokens: l.Tokens, Memory: l.Memory, Usable: usable, Fits: l.Fits,
		Bound: l.Bound, MicroBatches: l.MicroBatch, Compute: l.Compute, Bubble: l.Bubble,
		TP: l.Exposed.TP, CP: l.Exposed.CP, EP: l.Exposed.EP, PP: l.Exposed.PP, DP: l.Exposed.DP, Other: l.Exposed.Other,
		Optimizer: l.Optimizer, Overhead: l.Overhead,
	}
}

// New makes a plan of an answered question and an estimate. A model given by a
// shorthand is kept under its full name, so that a later alias cannot change
// the plan.
func New(a *ask.Answer, e *strategies.Estimate, version string, day time.Time) *Plan {
	q := a.Question
	model := q.Model
	if !catalog.IsPath(model) && !strings.HasSuffix(model, ".json") {
		model = a.Problem.Model.Name
	}
	return &Plan{
		Format: Format, Planner: version, Saved: day.Format(time.DateOnly), Layout: e.Layout.String(), Framework: e.Framework.Name,
		Question:  newQuestion(&q, model),
		Predicted: FiguresOf(a.Problem, e), From: "plan",
	}
}

// Encode writes the plan as TOML.
func (p *Plan) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A plan. Check it with: planner check FILE; ask it again with: planner plan rerun FILE\n")
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(p); err != nil {
		panic(err) // plain strings and numbers: a fault of ours
	}
	return b.Bytes()
}
