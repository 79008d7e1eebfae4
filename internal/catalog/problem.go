package catalog

import (
	"planner/costmodel"
	"planner/hardware"
	"planner/strategies"
)

// Problem joins a model, a cluster and a workload with the constants that the
// presets hold for the cluster's accelerators and links.
func Problem(m *costmodel.Model, c *hardware.Cluster, w strategies.Workload, profiles []*strategies.Profile) (*strategies.Problem, error) {
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
