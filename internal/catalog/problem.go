package catalog

import (
	"strings"

	"planner/costmodel"
	"planner/hardware"
	"planner/strategies"
)

// Problem joins a model, a cluster and a workload with the constants that the
// presets hold for the cluster's accelerators and links. A precision at which the
// accelerators compute nothing is an *Error.
func Problem(m *costmodel.Model, c *hardware.Cluster, w strategies.Workload, profiles []*strategies.Profile) (*strategies.Problem, error) {
	if err := Computes(c.GPU, w.Precision); err != nil {
		return nil, err
	}
	kernels, err := LoadKernels(c.GPU.Arch, c.GPU.Name)
	if err != nil {
		return nil, err
	}
	links, err := Collectives()
	if err != nil {
		return nil, err
	}
	return strategies.NewProblem(m, c, w, profiles, kernels.Constants, links), nil
}

// Computes refuses a precision that a has no rate for, nor for one that it falls
// back to; the error is an *Error.
func Computes(a *hardware.Accelerator, p hardware.Precision) error {
	if computes(a, p) {
		return nil
	}
	var others []string
	for q, name := range hardware.Precisions() {
		if q := hardware.Precision(q); a.RunsAs(q) == q && computes(a, q) {
			others = append(others, name)
		}
	}
	if others == nil {
		return Errorf("--precision %s: %s has no rate of 16 bits or more, which attention takes: want bf16 in its [gpu.peak]", p, a.Name)
	}
	return Errorf("--precision %s: %s has no %s rate: want one of %s", p, a.Name, p, strings.Join(others, ", "))
}

// computes reports whether a has a rate for all of a step at p: kernel.NewDevice
// prices attention and scans at 16 bits or more.
func computes(a *hardware.Accelerator, p hardware.Precision) bool {
	attention := hardware.BF16
	if p == hardware.FP32 {
		attention = p
	}
	return a.PeakOf(p) > 0 && a.PeakOf(attention) > 0
}
