package show

import (
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// Question is ask.Question as a document, of a plan file, of a report and of the
// JSON of suggest and explain: what was asked, every default filled in; what is 0, empty or false was left to the
// preset.
type Question struct {
	Model       string  `toml:"model" json:"model"`
	GPUs        int     `toml:"gpus" json:"gpus"`
	Hardware    string  `toml:"hardware" json:"hardware"`
	SeqLen      int     `toml:"seq_len" json:"seq_len"`
	GlobalBatch int     `toml:"global_batch" json:"global_batch"`
	Precision   string  `toml:"precision" json:"precision"`
	Framework   string  `toml:"framework" json:"framework"`
	Pass        string  `toml:"pass" json:"pass,omitempty"`
	Attention   string  `toml:"attention" json:"attention,omitempty"`
	Trainable   float64 `toml:"trainable" json:"trainable,omitempty"`
	Imbalance   float64 `toml:"imbalance" json:"imbalance,omitempty"`
	Capacity    float64 `toml:"capacity_factor" json:"capacity_factor,omitempty"`
	AllowLong   bool    `toml:"allow_long" json:"allow_long,omitempty"`

	// What replaces parts of the cluster's description, in ranks, bytes per
	// second per GPU and direction, ports, and seconds.
	GPUsPerNode int     `toml:"gpus_per_node" json:"gpus_per_node,omitempty"`
	Domain      int     `toml:"domain_gpus" json:"domain_gpus,omitempty"`
	InterNode   float64 `toml:"inter_node_bytes_per_second" json:"inter_node_bytes_per_second,omitempty"`
	Fabric      string  `toml:"fabric" json:"fabric,omitempty"`
	NICs        int     `toml:"nics_per_node" json:"nics_per_node,omitempty"`
	Latency     float64 `toml:"latency_seconds" json:"latency_seconds,omitempty"`

	Limits ask.Constraints `toml:"constraints,omitempty" json:"constraints,omitzero"`
	Files  ask.Files       `toml:"-" json:"files,omitzero"` // in a plan file, its table files
}

// QuestionOf keeps what was asked.
func QuestionOf(q *ask.Question) Question {
	o := &q.Options
	return Question{
		Model: q.Model, GPUs: q.GPUs, Hardware: q.Hardware, SeqLen: q.SeqLen, GlobalBatch: q.GlobalBatch, Precision: q.Precision,
		Framework: q.Framework, Pass: q.Pass, Attention: q.Attention, Trainable: q.Trainable, Imbalance: q.Imbalance, Capacity: q.Capacity,
		AllowLong: q.AllowLong, GPUsPerNode: o.GPUsPerNode, Domain: o.Domain, InterNode: float64(o.InterNode), Fabric: string(o.Fabric),
		NICs: o.NICs, Latency: float64(o.Latency), Limits: q.Limits, Files: q.Files,
	}
}

// Asked keeps what was asked, with a model that was given by a shorthand under its
// full name, so that a later alias cannot change the question.
func Asked(a *ask.Answer) Question {
	q := QuestionOf(&a.Question)
	if a.Files.Model.Name != a.Model && !catalog.IsModelFile(a.Model) {
		q.Model = a.Problem.Model.Name
	}
	return q
}

// Ask is the question as it is answered, with the layout of the plan.
func (q *Question) Ask() ask.Question {
	return ask.Question{
		Model: q.Model, Hardware: q.Hardware, GPUs: q.GPUs, SeqLen: q.SeqLen, GlobalBatch: q.GlobalBatch, Precision: q.Precision,
		Framework: q.Framework, Pass: q.Pass, Trainable: q.Trainable, Attention: q.Attention, Imbalance: q.Imbalance, Capacity: q.Capacity,
		AllowLong: q.AllowLong, Dispatched: true, Limits: q.Limits, Files: q.Files,
		Options: catalog.ClusterOptions{GPUsPerNode: q.GPUsPerNode, Domain: q.Domain, InterNode: unit.BytesPerSecond(q.InterNode),
			Fabric: hardware.LinkKind(q.Fabric), NICs: q.NICs, Latency: unit.Seconds(q.Latency)},
	}
}
