package validate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
)

// Case is a run ready to be predicted: what the configuration columns say,
// blanks filled in. Predictions read nothing else of the run.
type Case struct {
	Run     *Run
	Model   *costmodel.Model
	Cluster *hardware.Cluster
	Work    strategies.Workload
	Profile *strategies.Profile
	Layout  strategies.Layout
	Kernels kernel.Constants
	// Assumed maps a column that the row leaves blank to the value taken.
	Assumed map[string]string
	// Unstated says that the row leaves the network between nodes open.
	Unstated bool
	// Skipped says why the row cannot be predicted; "" for all others.
	Skipped string
}

// Builder turns runs into cases. It keeps what rows share.
type Builder struct {
	models   map[modelKey]*costmodel.Model
	clusters map[clusterKey]*hardware.Cluster
	kernels  map[string]kernel.Constants
	profiles map[string]*strategies.Profile
}

// NewBuilder returns an empty builder over the presets.
func NewBuilder() *Builder {
	return &Builder{map[modelKey]*costmodel.Model{}, map[clusterKey]*hardware.Cluster{}, map[string]kernel.Constants{}, map[string]*strategies.Profile{}}
}

type clusterKey struct {
	gpu                   string
	gpus, perNode, domain int
	inter                 string
}

// Case builds the case of one run.
func (b *Builder) Case(r *Run) Case {
	c := Case{Run: r, Assumed: map[string]string{}}
	err := errors.Join(b.profile(&c), b.model(&c), b.cluster(&c))
	if err == nil {
		c.workload()
		err = c.layout()
	}
	if err != nil {
		c.Skipped = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return c
}

// Problem returns the question of the case under the fitted constants of the
// presets.
func (c *Case) Problem() *strategies.Problem { return c.Under(c.Cluster, c.Profile) }

// Under is Problem on another description of the cluster and of the framework:
// the same, with constants that a fit tries.
func (c *Case) Under(cluster *hardware.Cluster, prof *strategies.Profile) *strategies.Problem {
	links := catalogLinks()
	if share := prof.FitFor(cluster.GPU.Arch).Network; c.Unstated && share > 0 {
		cluster = slower(cluster, share)
	}
	p := strategies.NewProblem(c.Model, cluster, c.Work, []*strategies.Profile{prof}, c.Kernels, &links)
	p.Balanced = true
	p.Counted = c.counted()
	return p
}

// slower returns c with networks that reach a share of their rate.
func slower(c *hardware.Cluster, share float64) *hardware.Cluster {
	o := *c
	o.Tiers = slices.Clone(c.Tiers)
	for i := c.ScaleUp + 1; i < len(o.Tiers); i++ {
		o.Tiers[i].Bandwidth = o.Tiers[i].Bandwidth.Times(share)
	}
	return &o
}

// Estimate predicts the case.
func (c *Case) Estimate() (*strategies.Problem, strategies.Estimate) {
	p := c.Problem()
	return p, p.Estimate(c.Layout, c.Profile)
}

func (b *Builder) profile(c *Case) error {
	name := c.Run.Framework
	if name == "megatron" && (c.Run.Zero == "2" || c.Run.Zero == "3") {
		name = "deepspeed" // Megatron has neither stage
		c.assume("framework", name)
	}
	if p, ok := b.profiles[name]; ok {
		c.Profile = p
		return nil
	}
	all, err := catalog.Profiles(name)
	if err != nil {
		return err
	}
	c.Profile = all[0]
	b.profiles[name] = all[0]
	return nil
}

func (b *Builder) cluster(c *Case) error {
	r := c.Run
	o, assumed := interNode(r)
	c.Unstated = r.InterNode == "" || assumed
	if r.InterNode == "" {
		c.assume("inter_node", "as the usual machine of "+r.GPU)
	} else if assumed {
		c.assume("inter_node", fmt.Sprintf("%q not understood; as the usual machine of %s", r.InterNode, r.GPU))
	}
	o.GPUsPerNode, o.Domain = r.PerNode, r.Domain
	key := clusterKey{r.GPU, r.GPUs, r.PerNode, r.Domain, r.InterNode}
	cl, ok := b.clusters[key]
	if !ok {
		var err error
		if cl, err = catalog.ClusterWith(r.GPU, r.GPUs, o); err != nil {
			return err
		}
		b.clusters[key] = cl
	}
	c.Cluster = cl
	if r.PerNode == 0 {
		c.assume("gpus_per_node", fmt.Sprint(cl.PerNode))
	}
	k, ok := b.kernels[cl.GPU.Name]
	if !ok {
		f, err := catalog.LoadKernels(cl.GPU.Arch, cl.GPU.Name)
		if err != nil {
			return err
		}
		k = f.Constants
		b.kernels[cl.GPU.Name] = k
	}
	c.Kernels = k
	return nil
}

func (c *Case) assume(column, value string) { c.Assumed[column] = value }
