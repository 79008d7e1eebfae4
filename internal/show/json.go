package show

import (
	"encoding/json"
	"io"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/internal/ask"
	"planner/strategies"
)

// SchemaVersion is the version of every JSON document.
const SchemaVersion = 1

// JSON writes v indented.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Head is what every planning document begins with.
type Head struct {
	SchemaVersion int      `json:"schema_version"`
	Model         Model    `json:"model"`
	Cluster       Cluster  `json:"cluster"`
	Workload      Workload `json:"workload"`
	// Question has all that was asked, so that a document can be asked again; nil
	// where another document around this one has it.
	Question *Question `json:"question,omitempty"`
}

// Model names the model of a plan.
type Model struct {
	Name             string  `json:"name"`
	Parameters       int64   `json:"parameters"`
	ActiveParameters int64   `json:"active_parameters"`
	FLOPsPerToken    float64 `json:"flops_per_token"`
}

// Cluster names the cluster of a plan; peak_flops is dense, per GPU, at the
// precision used, usable_bytes what the driver lets a process use, and
// max_memory_bytes the smaller limit that was asked for: layouts fit below both.
type Cluster struct {
	Name        string  `json:"name"`
	GPUs        int     `json:"gpus"`
	GPUsPerNode int     `json:"gpus_per_node"`
	PeakFLOPs   float64 `json:"peak_flops"`
	UsableBytes float64 `json:"usable_bytes"`
	MaxMemory   float64 `json:"max_memory_bytes,omitempty"`
}

// Workload is what a step computes.
type Workload struct {
	SeqLen      int    `json:"seq_len"`
	GlobalBatch int    `json:"global_batch"`
	Precision   string `json:"precision"`
	Framework   string `json:"framework"`
	Pass        string `json:"pass"`
}

// NewHead describes a question.
func NewHead(a *ask.Answer) Head {
	p := a.Problem
	total, _ := p.FLOPsPerToken()
	q := Asked(a)
	pass := "train"
	if p.Work.Forward {
		pass = "forward"
	}
	return Head{
		SchemaVersion: SchemaVersion,
		Model:         Model{p.Model.Name, p.Model.Parameters(), p.Model.ActiveParameters(), float64(total)},
		Cluster: Cluster{p.Cluster.Name, p.Cluster.GPUs, p.Cluster.PerNode,
			float64(p.Cluster.GPU.PeakOf(p.Work.Precision)), float64(p.Capacity()), 0},
		Workload: Workload{p.Work.Seq, p.Work.GlobalBatch, p.Work.Precision.String(), a.Framework, pass},
		Question: &q,
	}
}

// Layout is one estimate.
type Layout struct {
	Rank       int     `json:"rank"`
	Layout     string  `json:"layout"`
	Framework  string  `json:"framework"`
	Fits       bool    `json:"fits"`
	Marginal   bool    `json:"marginal"`
	TieGroup   int     `json:"tie_group"`
	Step       float64 `json:"step_seconds"`
	Low        float64 `json:"step_seconds_low"`
	High       float64 `json:"step_seconds_high"`
	Tokens     float64 `json:"tokens_per_second_per_gpu"`
	MFU        float64 `json:"mfu"`
	MFUCausal  float64 `json:"mfu_causal"`
	HFU        float64 `json:"hfu"`
	Memory     float64 `json:"memory_bytes"`
	Allocated  float64 `json:"memory_allocated_bytes"`
	Fraction   float64 `json:"memory_fraction"`
	Compute    float64 `json:"compute_seconds"`
	Bubble     float64 `json:"bubble_seconds"`
	Exposed    Exposed `json:"exposed_seconds"`
	Optimizer  float64 `json:"optimizer_seconds"`
	Overhead   float64 `json:"overhead_seconds"`
	Bound      string  `json:"bound"`
	MicroBatch int     `json:"micro_batches"`
}

// Exposed is communication that nothing hides, by axis.
type Exposed struct {
	TP    float64 `json:"tp"`
	CP    float64 `json:"cp"`
	EP    float64 `json:"ep"`
	PP    float64 `json:"pp"`
	DP    float64 `json:"dp"`
	Other float64 `json:"other"`
}

// NewLayout describes an estimate.
func NewLayout(p *strategies.Problem, e *strategies.Estimate, rank, tie int) Layout {
	r := p.Rates(e)
	x := e.Exposed
	fraction := float64(e.Memory.Total() / p.Capacity())
	return Layout{
		Rank: rank, Layout: e.Layout.String(), Framework: e.Framework.Name, Fits: e.Fits, TieGroup: tie,
		Marginal: Marginal(p, e),
		Step:     float64(e.Step), Low: float64(e.Low), High: float64(e.High),
		Tokens: r.TokensPerSecondPerGPU, MFU: r.MFU, MFUCausal: r.MFUCausal, HFU: r.HFU,
		Memory: float64(e.Memory.Total()), Allocated: float64(e.Allocated), Fraction: fraction,
		Compute: float64(e.Compute), Bubble: float64(e.Bubble),
		Exposed: Exposed{float64(x[collective.AxisTP]), float64(x[collective.AxisCP]), float64(x[collective.AxisEP]),
			float64(x[collective.AxisPP]), float64(x[collective.AxisDP]), float64(x[collective.AxisOther])},
		Optimizer: float64(e.Optimizer), Overhead: float64(e.Overhead), Bound: e.Bound(),
		MicroBatch: p.Work.GlobalBatch / (e.Layout.DP * e.Layout.MBS),
	}
}

// ModelFacts is the document of `models show`.
type ModelFacts struct {
	Name             string   `json:"name"`
	Parameters       int64    `json:"parameters"`
	ActiveParameters int64    `json:"active_parameters"`
	Layers           int      `json:"layers"`
	Hidden           int      `json:"hidden"`
	Heads            int      `json:"heads"`
	KVHeads          int      `json:"kv_heads"`
	HeadDim          int      `json:"head_dim"`
	FFN              int      `json:"ffn"`
	Vocab            int      `json:"vocab"`
	Tied             bool     `json:"tied_embeddings"`
	Experts          int      `json:"experts"`
	ExpertsPerToken  int      `json:"experts_per_token"`
	SeqLen           int      `json:"seq_len"`
	FLOPsPerToken    float64  `json:"flops_per_token"`
	Notes            []string `json:"notes,omitempty"`
	Source           string   `json:"source,omitempty"`
	AsOf             string   `json:"as_of,omitempty"`
}

// NewModelFacts describes a model at a sequence length.
func NewModelFacts(m *costmodel.Model, seq int) ModelFacts {
	total, _ := m.FLOPsPerToken(seq)
	f := ModelFacts{
		Name: m.Name, Parameters: m.Parameters(), ActiveParameters: m.ActiveParameters(), Layers: m.Layers(), Hidden: m.Hidden,
		Heads: m.Heads(), KVHeads: m.KVHeads(), HeadDim: m.HeadDim(), FFN: m.FFN(), Vocab: m.Vocab, Tied: m.Tied,
		Experts: m.Experts(), ExpertsPerToken: m.ExpertsPerToken(), SeqLen: seq, FLOPsPerToken: float64(total),
		Notes: m.Notes, Source: m.Source, AsOf: m.AsOf,
	}
	return f
}
