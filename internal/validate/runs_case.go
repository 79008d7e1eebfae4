package validate

import (
	"cmp"
	"errors"
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
	asked   bool // as explain would ask: see Builder.Own
}

// Builder turns runs into cases. It keeps what rows share.
type Builder struct {
	// Hardware is the cluster that every row ran on, as --hardware takes it,
	// whatever their columns say of it; "" where these say it.
	Hardware string
	// Own says that the rows are of the user's cluster, who asks explain of it:
	// where a row states its network, it is predicted as explain would, without
	// what published recipes of its time had beside their columns.
	Own bool

	models   map[modelKey]*costmodel.Model
	clusters map[clusterKey]*hardware.Cluster
	kernels  map[string]kernel.Constants
	profiles map[string]*strategies.Profile
}

// NewBuilder returns an empty builder over the presets.
func NewBuilder() *Builder {
	return &Builder{
		models: map[modelKey]*costmodel.Model{}, clusters: map[clusterKey]*hardware.Cluster{},
		kernels: map[string]kernel.Constants{}, profiles: map[string]*strategies.Profile{},
	}
}

// Case builds the case of one run.
func (b *Builder) Case(r *Run) Case {
	c := Case{Run: r, Assumed: map[string]string{}}
	err := errors.Join(b.profile(&c), b.model(&c), b.cluster(&c))
	if err == nil {
		c.asked = b.Own && !c.Unstated
		c.workload()
		err = cmp.Or(catalog.Computes(c.Cluster.GPU, c.Work.Precision), c.layout())
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

func (c *Case) assume(column, value string) { c.Assumed[column] = value }
