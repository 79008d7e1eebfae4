package calibrate

import (
	"planner/hardware"
	"planner/internal/catalog"
	"planner/presets"
	"planner/strategies"
)

// profilePriors reads presets/profiles/prior.toml, by framework and
// generation.
func profilePriors() map[string]map[string]strategies.ProfileFit {
	const file = "profiles/prior.toml"
	text, err := presets.Profiles.ReadFile(file)
	if err != nil {
		panic(err) // embedded
	}
	m, err := catalog.ProfileFits(file, text)
	if err != nil {
		panic(err)
	}
	return m
}

// kin names the framework whose runs speak for one that has none: torchtitan
// shards through the same fully_shard of PyTorch. With its own priors alone the
// published FSDP runs, three of them torchtitan's, come out 12 % fast.
var kin = map[string]string{"torchtitan": "fsdp"}

// gpuPriors are shares of peak before any run is fitted: the 99th percentile
// of measured large matrix products and of fused attention by generation
// (hardware tables of the aiconfigurator and SimuMax projects, read
// 2026-11-29), less what a training step's power limit takes.
var gpuPriors = map[string]hardware.Efficiency{
	"ampere":          {GEMM: 0.83, GEMMHalfK: 250, Memory: 0.84, Boost: 0.15, Flash: [4]float64{0.52, 0.35, 0.52, 0.52}, FlashTriton: 0.3, Launch: 5e-6},
	"hopper":          {GEMM: 0.76, GEMMFP8: 0.68, GEMMHalfK: 500, Memory: 0.84, Boost: 0.15, Flash: [4]float64{0.43, 0.19, 0.35, 0.43}, FlashTriton: 0.19, Launch: 4.7e-6},
	"blackwell":       {GEMM: 0.55, GEMMFP8: 0.6, GEMMFP4: 0.51, GEMMHalfK: 500, Memory: 0.84, Boost: 0.15, Flash: [4]float64{0.42, 0.30, 0.35, 0.42}, Launch: 3.4e-6},
	"blackwell-ultra": {GEMM: 0.62, GEMMFP8: 0.72, GEMMFP4: 0.41, GEMMHalfK: 500, Memory: 0.84, Boost: 0.15, Flash: [4]float64{0.42, 0.30, 0.35, 0.42}, Launch: 3.4e-6},
}

// partPriors are the shares of parts whose products and usual attention were
// timed with the library that trains on them: Transformer Engine's on B200 take
// 0.495 of peak at 2,048 and more in every dimension, attention 0.35 (SimuMax
// configs/system/b200_bf16_ceperm.json, 420 products and 64 attentions, read
// 2026-11-29), less than the kernels of inference in the same tables.
var partPriors = map[string]struct{ gemm, flash float64 }{
	"b200-sxm": {0.50, 0.35},
}

// gpuPrior returns the prior of an accelerator: its own or its generation's, or
// what its preset has where none is known.
func gpuPrior(a *hardware.Accelerator) hardware.Efficiency {
	e, ok := gpuPriors[a.Arch]
	if !ok {
		return a.Fit
	}
	if p, ok := partPriors[a.Name]; ok {
		e.GEMM, e.Flash[0] = p.gemm, p.flash
	}
	return e
}
