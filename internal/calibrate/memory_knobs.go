package calibrate

import "planner/strategies"

// memoryKnobs are the constants of a framework on one generation that move
// predicted memory.
var memoryKnobs = []knob{
	{name: "fragment", memory: true, profile: func(f *strategies.ProfileFit) *float64 { return &f.Fragment }, spread: 0.7, low: 0.005, high: 0.6},
	{name: "logits_whole", memory: true, profile: func(f *strategies.ProfileFit) *float64 { return &f.LogitsWhole }, spread: 2, low: 0.1, high: 40},
	{name: "norm_saved", memory: true, profile: func(f *strategies.ProfileFit) *float64 { return &f.NormSaved }, spread: 0.7, low: 1, high: 40},
	{name: "runtime", memory: true, spread: 0.4, low: 2e8, high: 8e9,
		profile: func(f *strategies.ProfileFit) *float64 { return (*float64)(&f.Runtime) }},
	{name: "per_comm", memory: true, spread: 0.4, low: 5e7, high: 2e9,
		profile: func(f *strategies.ProfileFit) *float64 { return (*float64)(&f.PerComm) }},
}
