package worker

import (
	"planner/verify/gpu/detect"
	"planner/verify/gpu/nvml"
)

// watch reads the state of all GPUs of this machine and returns what reads it
// again and says what speaks against what was measured in between.
func (o *Options) watch() (doubts func() []string) {
	if o.Backend.amd() {
		return func() []string { return []string{"clocks and throttling were not read: AMD's GPUs are not asked"} }
	}
	lib, err := nvml.Open(paths(o.NVML)...)
	if err != nil {
		return func() []string { return []string{"clocks and throttling were not read: " + err.Error()} }
	}
	before, err := lib.States()
	return func() []string {
		defer lib.Close()
		after, again := lib.States()
		if err != nil || again != nil {
			return []string{"clocks and throttling were not read: the library failed"}
		}
		if !o.Backend.own() {
			before = nil // the other ranks compute there already
		}
		return detect.Doubts(before, after)
	}
}
