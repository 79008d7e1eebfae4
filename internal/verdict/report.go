package verdict

import (
	"planner/costmodel/collective"
	"planner/verify/replay"
)

// Report is a measurement with all that judges it. It is what --format json
// prints, and what --from reads. Times are in seconds.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Verdict       Ruling `json:"verdict"`

	Emulate  string  `json:"emulate,omitempty"`
	Where    string  `json:"where,omitempty"` // what the ranks are
	GPUs     int     `json:"gpus,omitempty"`  // of a plan whose calls were sampled; 0: the ranks are the plan's
	Cluster  string  `json:"cluster,omitempty"`
	Slow     float64 `json:"slow_motion,omitempty"` // how much slower than the plan's the links at hand are
	Profile  string  `json:"profile"`               // where the plan's links come from
	Seed     uint64  `json:"seed"`
	Ranks    int     `json:"ranks"`
	Nodes    int     `json:"nodes"`
	Model    string  `json:"model"`
	SeqLen   int     `json:"seq_len"`
	Batch    int     `json:"global_batch"`
	Choice   string  `json:"choice,omitempty"` // how the layouts were chosen
	Rounds   int     `json:"rounds"`
	Redone   int     `json:"rounds_redone"`
	Repeated int     `json:"steps_repeated,omitempty"`
	RealTime bool    `json:"real_time_priority"`
	Seconds  float64 `json:"seconds"`

	TauB     float64 `json:"tau_b"`
	TauLow   float64 `json:"tau_b_low"`
	TauHigh  float64 `json:"tau_b_high"`
	Regret   float64 `json:"regret"`
	Ties     int     `json:"tied_pairs"`
	Pairs    int     `json:"pairs"`
	Error    float64 `json:"step_error"` // mean |predicted/measured − 1|
	Shares   Shares  `json:"shares"`
	Reversal float64 `json:"reversal,omitempty"` // factor on compute that would reverse a pair; 0: none would

	Machine *Machine `json:"machine,omitempty"`
	Layouts []Layout `json:"layouts"`
	Calls   []Call   `json:"calls"`
	Links   []Link   `json:"links"`
}

// Machine is what this machine was measured to do, in bytes per second.
type Machine struct {
	Cores  int     `json:"cores"`
	Copy   float64 `json:"copy"`
	Reduce float64 `json:"reduce"`
}

// Ruling is the judgement in one sentence.
type Ruling struct {
	Status   string `json:"status"` // holds, does not hold, inconclusive
	Sentence string `json:"sentence"`
	Term     string `json:"term,omitempty"` // what is wrong: bandwidth, latency or nics, and of which tier
}

// The statuses.
const (
	Holds        = "holds"
	DoesNotHold  = "does not hold"
	Inconclusive = "inconclusive"
)

// How layouts are chosen.
const (
	ChoiceSpread = "spread" // from the fastest predicted to slower ones, evenly in ratio
	ChoiceBest   = "best"
	ChoiceGiven  = "given"
)

// Shares are parts of the measured steps, each layout weighing the same.
type Shares struct {
	Measured float64 `json:"measured"` // calls that ran in full, and what waits for them
	Scaled   float64 `json:"scaled"`   // calls extrapolated from smaller groups
	Assumed  float64 `json:"assumed"`  // compute, as delays of the predicted length
}

// Layout is one layout, predicted and measured.
type Layout struct {
	Layout    string    `json:"layout"`
	Framework string    `json:"framework"`
	Predicted float64   `json:"predicted_seconds"`
	Measured  float64   `json:"measured_seconds"`
	StdErr    float64   `json:"measured_error_seconds"`
	Times     []float64 `json:"times"`
	Compute   float64   `json:"compute_seconds"`
	Axes      []Axis    `json:"axes"`
	Shares    *Shares   `json:"shares,omitempty"`
	// Unmeasured is what of the step is calls that were assumed, by where they go.
	Unmeasured map[string]float64 `json:"assumed_calls_seconds,omitempty"`
}

// Axis is the calls of one axis on the slowest stage, each alone on its links.
type Axis struct {
	Axis      string  `json:"axis"`
	Predicted float64 `json:"predicted_seconds"`
	Measured  float64 `json:"measured_seconds"`
}

// Call is one kind of call over all layouts that make it.
type Call struct {
	Op        string  `json:"op"`
	Purpose   string  `json:"purpose"`
	Axis      string  `json:"axis"`
	Bytes     float64 `json:"bytes"`
	GroupSize int     `json:"group_size"`
	Nodes     int     `json:"nodes"`
	Tier      int     `json:"tier"`
	Predicted float64 `json:"predicted_seconds"`
	Latency   float64 `json:"predicted_latency_seconds"`
	Measured  float64 `json:"measured_seconds"`
	Weight    float64 `json:"weight_seconds"` // predicted time of all of them, over the layouts
	How       string  `json:"how"`            // "measured in full", "scaled from …", "assumed: …"
}

// Ratio returns measured over predicted.
func (c *Call) Ratio() float64 { return c.Measured / c.Predicted }

// Link is a tier as the profile states it and as messages of its own found it.
// Rates are in bytes per second.
type Link struct {
	Tier      string  `json:"tier"`
	Between   bool    `json:"between_nodes"`
	Latency   float64 `json:"profile_latency_seconds"`
	Bandwidth float64 `json:"profile_bandwidth"` // a rank's share when all send
	Sharing   float64 `json:"profile_sharing"`   // ranks that share a port
	Probed    Probed  `json:"measured"`
}

// Probed is the measured side of a Link.
type Probed struct {
	Latency float64 `json:"latency_seconds"`
	Alone   float64 `json:"alone"`
	Shared  float64 `json:"shared"`
}

// collect joins the calls of all plans: the same call of several layouts is
// one row, with the median of the first and the weight of all.
func collect(plans []*replay.Plan, m *replay.Measurement) []Call {
	type key struct {
		op     collective.Op
		what   string
		bytes  int64
		stride int
		size   int
	}
	at := map[key]int{}
	var out []Call
	for i, p := range plans {
		for r := range p.Calls {
			c, s := &p.Calls[r], &m.Steps[i].Rows[r]
			if s.N == 0 || c.Op == collective.Recv || !c.Phase.InStep() {
				continue
			}
			k := key{c.Op, c.Purpose, int64(c.Bytes), c.Span.Stride, c.Span.Size}
			if n, ok := at[k]; ok {
				out[n].Weight += float64(c.Total())
				continue
			}
			at[k] = len(out)
			one := callOf(c, float64(s.Median), "measured in full")
			one.Weight = float64(c.Total())
			out = append(out, one)
		}
	}
	return out
}
