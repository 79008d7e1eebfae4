package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware"
)

// Profile is how one training framework runs a layout: what it can run, which
// calls it issues and when, what it keeps in memory, and the fitted constants
// of its overlap and overheads. Profiles are data: presets/profiles.
type Profile struct {
	Name   string `toml:"name"` // the spelling of --framework
	Title  string `toml:"title"`
	Target string `toml:"target"` // release that the names and defaults were read in
	Recipe string `toml:"recipe"` // where the profile follows a published recipe, not a library default

	Can    Capabilities  `toml:"can"`
	Comm   Comm          `toml:"comm"`
	Memory ProfileMemory `toml:"memory"`
	// Fit holds the fitted constants by accelerator generation, because the
	// software that ran on each differs; Default serves the others.
	Fit     map[string]ProfileFit `toml:"-"`
	Default ProfileFit            `toml:"-"`

	Source string `toml:"source"`
	AsOf   string `toml:"as_of"`
}

// FitFor returns the constants for an accelerator generation: its own, its
// family's or the default.
func (p *Profile) FitFor(arch string) *ProfileFit {
	for _, name := range []string{arch, hardware.Family(arch)} {
		if f, ok := p.Fit[name]; ok {
			return &f
		}
	}
	return &p.Default
}

// Capabilities says what a framework can run.
type Capabilities struct {
	Stages   []int `toml:"stages"`    // ZeRO stages
	PPStages []int `toml:"pp_stages"` // ZeRO stages that it combines with PP > 1; empty: no PP
	TP       bool  `toml:"tp"`
	// TPStages lists the ZeRO stages that it combines with TP > 1; empty: all.
	TPStages []int `toml:"tp_stages"`
	// EPStages lists the ZeRO stages that it combines with EP > 1; empty: all.
	EPStages []int `toml:"ep_stages"`
	// PlainEP3 says that EP beside ZeRO-3 rules out CP, HPZ and a smaller shard.
	PlainEP3  bool     `toml:"plain_ep3"`
	CP        bool     `toml:"cp"`
	EP        bool     `toml:"ep"`
	SP        string   `toml:"sp"` // "choice", "always" or "never" at TP > 1
	VPP       bool     `toml:"vpp"`
	Schedules []string `toml:"schedules"`
	CPKinds   []string `toml:"cp_kinds"`
	// OwnExchange is what the framework's trainer runs of CPKinds; "": any.
	OwnExchange string `toml:"own_exchange"`
	Windows     bool   `toml:"windows"` // context parallelism of layers with windows or states
	ETP         bool   `toml:"etp"`     // ETP may be other than TP or 1
	// WholeExperts says that experts are whole where EP deals them out, and
	// split over TP where it is 1.
	WholeExperts bool     `toml:"whole_experts"`
	Dispatch     []string `toml:"dispatch"`
	// Shards lists the ZeRO stages whose state may be split over fewer ranks
	// than DP·CP (HSDP, MiCS, several distributed-optimizer instances).
	Shards  []int `toml:"shards"`
	HPZ     bool  `toml:"hpz"`
	Offload bool  `toml:"offload"`
	Uneven  bool  `toml:"uneven"` // pipeline stages of unequal layers
	// Split is "cost" where layers go to stages by the cost of layers and head
	// rather than by number.
	Split    string `toml:"split"`
	FillPipe bool   `toml:"fill_pipe"` // refuses fewer micro-batches than stages
	// PlainCP says that CP rules out TP and PP.
	PlainCP bool `toml:"plain_cp"`
	// ShardCP says that state is always split over the CP ranks: CP rules out
	// ZeRO-0.
	ShardCP bool `toml:"shard_cp"`
	// Even2CP says that the sequence must divide by 2·CP·TP, whether or not TP
	// splits it.
	Even2CP bool `toml:"even_2cp"`
}

// GradDType returns the element type of gradient calls of a layout, for weights
// of type model.
func (p *Profile) GradDType(l *Layout, model collective.DType) collective.DType {
	kind := p.Comm.GradType
	if n := p.Comm.SequenceGrad; n != "" && l.CP > 1 && (l.Zero == 1 || l.Zero == 2) {
		kind = n
	}
	if kind == "fp32" {
		return collective.FP32
	}
	return model
}

// fullWeights reports whether the weights that a rank holds are the fp32 ones.
func (p *Profile) fullWeights() bool { return p.Memory.Weight == 0 }

// gathersLayers reports whether the framework gathers parameters layer by
// layer at a ZeRO stage.
func (p *Profile) gathersLayers(zero int) bool {
	return zero == 3 || zero == 2 && p.Comm.LayerWise2
}
