// Package plan keeps plans in files: the question, the layout that answers it
// and what was predicted of it, so that a plan can be versioned, checked and
// asked again after presets have changed.
package plan

import (
	"bytes"
	"fmt"
	"time"

	"github.com/BurntSushi/toml"

	"planner/internal/ask"
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
	Files     *files   `toml:"files"` // of the file alone: Question.Files

	// From names the kind of file that the plan was read from: "plan",
	// "suggest", "explain" or "report".
	From string `toml:"-"`
	File string `toml:"-"` // its name, for faults; "" of a new plan
}

// Question is what a plan asks.
type Question = show.Question

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

// New makes a plan of an answered question and an estimate.
func New(a *ask.Answer, e *strategies.Estimate, version string, day time.Time) *Plan {
	return &Plan{
		Format: Format, Planner: version, Saved: day.Format(time.DateOnly), Layout: e.Layout.String(), Framework: e.Framework.Name,
		Question: show.Asked(a), Predicted: FiguresOf(a.Problem, e), From: "plan",
	}
}

// Encode writes the plan as TOML.
func (p *Plan) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A plan. Check it with: planner check FILE; ask it again with: planner plan rerun FILE\n")
	e := toml.NewEncoder(&b)
	e.Indent = ""
	written := *p
	written.Files = filesOf(&p.Question.Files)
	if err := e.Encode(&written); err != nil {
		panic(err) // plain strings and numbers: a fault of ours
	}
	return b.Bytes()
}
