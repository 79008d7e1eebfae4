// Package calibrate fits the constants of the presets on published runs, and
// those of one cluster on its owner's measurements.
package calibrate

import (
	"planner/hardware"
	"planner/hardware/unit"
	"planner/strategies"
)

// knob is one constant that a fit may turn. It is fitted in its logarithm,
// with a Gaussian prior there.
type knob struct {
	name string
	// profile or gpu is set: whose constant it is.
	profile func(*strategies.ProfileFit) *float64
	gpu     func(*hardware.Efficiency) *float64
	spread  float64 // of the prior, standard deviation of ln(value)
	low     float64
	high    float64
	memory  bool // moves predicted memory rather than time
}

func share(name string, at func(*strategies.ProfileFit) *float64) knob {
	return knob{name: name, profile: at, spread: 0.5, low: 0.02, high: 1.5}
}

func seconds(name string, spread, low, high float64, at func(*strategies.ProfileFit) *unit.Seconds) knob {
	return knob{name: name, spread: spread, low: low, high: high,
		profile: func(f *strategies.ProfileFit) *float64 { return (*float64)(at(f)) }}
}

// timeKnobs are the constants of a framework on one generation that move its
// step time.
var timeKnobs = []knob{
	share("tp_exposed", func(f *strategies.ProfileFit) *float64 { return &f.TPExposed }),
	share("tp_beside", func(f *strategies.ProfileFit) *float64 { return &f.TPBeside }),
	share("cp_exposed", func(f *strategies.ProfileFit) *float64 { return &f.CPExposed }),
	share("ep_exposed", func(f *strategies.ProfileFit) *float64 { return &f.EPExposed }),
	share("pp_exposed", func(f *strategies.ProfileFit) *float64 { return &f.PPExposed }),
	{name: "dp_exposed", profile: func(f *strategies.ProfileFit) *float64 { return &f.DPExposed }, spread: 0.7, low: 0.02, high: 8},
	seconds("host", 0.35, 5e-5, 5e-3, func(f *strategies.ProfileFit) *unit.Seconds { return &f.Host }),
	seconds("host_expert", 0.7, 1e-4, 2e-2, func(f *strategies.ProfileFit) *unit.Seconds { return &f.HostExpert }),
	seconds("host_call", 0.7, 2e-5, 1e-3, func(f *strategies.ProfileFit) *unit.Seconds { return &f.HostCall }),
	seconds("host_batch", 0.5, 2e-4, 0.02, func(f *strategies.ProfileFit) *unit.Seconds { return &f.HostBatch }),
	seconds("host_step", 0.7, 2e-3, 1, func(f *strategies.ProfileFit) *unit.Seconds { return &f.HostStep }),
	seconds("skew", 1.5, 1e-6, 1e-2, func(f *strategies.ProfileFit) *unit.Seconds { return &f.Skew }),
	seconds("skew_across", 1.5, 1e-6, 1e-2, func(f *strategies.ProfileFit) *unit.Seconds { return &f.SkewAcross }),
	seconds("slot", 1, 1e-4, 0.5, func(f *strategies.ProfileFit) *unit.Seconds { return &f.Slot }),
	seconds("slot_wide", 1.5, 1e-3, 5, func(f *strategies.ProfileFit) *unit.Seconds { return &f.SlotWide }),
	seconds("retry", 1, 1e-3, 10, func(f *strategies.ProfileFit) *unit.Seconds { return &f.Retry }),
	{name: "straggler", profile: func(f *strategies.ProfileFit) *float64 { return &f.Straggler }, spread: 0.5, low: 5e-4, high: 0.03},
	{name: "pointwise", profile: func(f *strategies.ProfileFit) *float64 { return &f.Pointwise }, spread: 0.6, low: 0.5, high: 10},
	{name: "norm_unfused", profile: func(f *strategies.ProfileFit) *float64 { return &f.NormUnfused }, spread: 0.5, low: 1, high: 40},
	{name: "plain", profile: func(f *strategies.ProfileFit) *float64 { return &f.Plain }, spread: 0.4, low: 1, high: 8},
	{name: "network", profile: func(f *strategies.ProfileFit) *float64 { return &f.Network }, spread: 1.2, low: 0.02, high: 1.2},
	{name: "misaligned", profile: func(f *strategies.ProfileFit) *float64 { return &f.Misaligned }, spread: 0.7, low: 1, high: 30},
	{name: "loss_bytes", profile: func(f *strategies.ProfileFit) *float64 { return &f.LossBytes }, spread: 0.4, low: 6, high: 80},
	{name: "optimizer", profile: func(f *strategies.ProfileFit) *float64 { return &f.Optimizer }, spread: 0.4, low: 0.3, high: 4},
	{name: "compute", profile: func(f *strategies.ProfileFit) *float64 { return &f.Compute }, spread: 0.05, low: 0.8, high: 1.5},
}

// gpuKnobs are the constants of a generation of accelerators that move the
// step time of every framework on it.
var gpuKnobs = []knob{
	{name: "gemm", gpu: func(e *hardware.Efficiency) *float64 { return &e.GEMM }, spread: 0.08, low: 0.3, high: 1},
	{name: "gemm_fp8", gpu: func(e *hardware.Efficiency) *float64 { return &e.GEMMFP8 }, spread: 0.1, low: 0.3, high: 1},
	{name: "gemm_fp4", gpu: func(e *hardware.Efficiency) *float64 { return &e.GEMMFP4 }, spread: 0.15, low: 0.2, high: 1},
	{name: "gemm_half_k", gpu: func(e *hardware.Efficiency) *float64 { return &e.GEMMHalfK }, spread: 0.4, low: 50, high: 1200},
	{name: "memory", gpu: func(e *hardware.Efficiency) *float64 { return &e.Memory }, spread: 0.08, low: 0.6, high: 0.95},
	{name: "boost", gpu: func(e *hardware.Efficiency) *float64 { return &e.Boost }, spread: 0.5, low: 0.02, high: 0.5},
	{name: "flash[0]", gpu: func(e *hardware.Efficiency) *float64 { return &e.Flash[0] }, spread: 0.2, low: 0.1, high: 0.8},
	{name: "flash[1]", gpu: func(e *hardware.Efficiency) *float64 { return &e.Flash[1] }, spread: 0.2, low: 0.1, high: 0.8},
	{name: "flash_triton", gpu: func(e *hardware.Efficiency) *float64 { return &e.FlashTriton }, spread: 0.2, low: 0.1, high: 0.8},
	{name: "flash[2]", gpu: func(e *hardware.Efficiency) *float64 { return &e.Flash[2] }, spread: 0.2, low: 0.1, high: 0.8},
}
