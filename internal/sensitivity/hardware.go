package sensitivity

import (
	"context"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
)

// Swing is the relative change of each figure of the hardware.
const Swing = 0.10

// Figure is one figure of the hardware and what its change does.
type Figure struct {
	Name string
	// Up and Down are the relative changes of the chosen layout's step at
	// +Swing and −Swing of the figure.
	Up, Down float64
	// First is the best layout of the search at the swing that displaced the
	// first of the ranking; empty where it stays at both.
	First string
	// At is that swing, Gain how much faster First is there than the layout
	// that was first.
	At, Gain float64
	Tie      bool // displaced, by less than the model can tell apart
}

// figure scales one property of a copy of the problem's cluster.
type figure struct {
	name  string
	scale func(c *hardware.Cluster, links *collective.Constants, k float64)
	has   func(c *hardware.Cluster) bool
}

func always(*hardware.Cluster) bool { return true }

var figures = []figure{
	{Compute, func(c *hardware.Cluster, _ *collective.Constants, k float64) {
		for i := range c.GPU.Peak {
			c.GPU.Peak[i] = c.GPU.Peak[i].Times(k)
		}
		c.GPU.TF32 = c.GPU.TF32.Times(k)
	}, always},
	{"memory bandwidth", func(c *hardware.Cluster, _ *collective.Constants, k float64) {
		c.GPU.MemoryBandwidth = c.GPU.MemoryBandwidth.Times(k)
	}, always},
	{"memory capacity", func(c *hardware.Cluster, _ *collective.Constants, k float64) {
		c.GPU.Usable = c.GPU.Usable.Times(k)
	}, always},
	{ScaleUp, func(c *hardware.Cluster, _ *collective.Constants, k float64) {
		scaleTiers(c.Tiers[:c.ScaleUp+1], k)
	}, always},
	{Network, func(c *hardware.Cluster, _ *collective.Constants, k float64) {
		scaleTiers(c.Tiers[c.ScaleUp+1:], k)
	}, func(c *hardware.Cluster) bool { return c.GPUs > c.PerNode && len(c.Tiers) > c.ScaleUp+1 }},
	{"latency of calls", func(_ *hardware.Cluster, links *collective.Constants, k float64) {
		for i := range links.Links {
			l := &links.Links[i]
			l.Base, l.Hop, l.Fill, l.SwitchStep = l.Base.Times(k), l.Hop.Times(k), l.Fill.Times(k), l.SwitchStep.Times(k)
		}
	}, always},
}

func scaleTiers(tiers []hardware.Tier, k float64) {
	for i := range tiers {
		t := &tiers[i]
		t.Bandwidth, t.PerPeer, t.Shared, t.PortRate = t.Bandwidth.Times(k), t.PerPeer.Times(k), t.Shared.Times(k), t.PortRate.Times(k)
	}
}

// with returns the problem on hardware with one figure scaled by k.
func (f *figure) with(p *strategies.Problem, k float64) (*strategies.Problem, error) {
	gpu, cluster := *p.Cluster.GPU, *p.Cluster
	cluster.GPU, cluster.Tiers = &gpu, slices.Clone(p.Cluster.Tiers)
	bundled, err := catalog.Collectives()
	if err != nil {
		return nil, err
	}
	links := *bundled
	links.Links = slices.Clone(bundled.Links)
	f.scale(&cluster, &links, k)
	q, err := catalog.Problem(p.Model, &cluster, p.Work, p.Profiles)
	if err != nil {
		return nil, err
	}
	q.Fabric = collective.NewFabric(&cluster, &links)
	q.Correction, q.Balanced = p.Correction, p.Balanced
	return q, nil
}

// swing changes one figure both ways and searches again each time.
func (f *figure) swing(ctx context.Context, r *Request, base, first *strategies.Estimate) (*Figure, error) {
	out := &Figure{Name: f.name}
	for _, s := range []struct {
		at float64
		to *float64
	}{{Swing, &out.Up}, {-Swing, &out.Down}} {
		q, err := f.with(r.Answer.Problem, 1+s.at)
		if err != nil {
			return nil, err
		}
		e := q.Estimate(base.Layout, base.Framework)
		*s.to = float64(e.Step/base.Step) - 1
		found := strategies.Search(ctx, q, r.Space, strategies.Options{Top: 1})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(found.Ranking) > 0 && first != nil {
			out.displaced(q, &found.Ranking[0], first, s.at)
		}
	}
	return out, nil
}

// displaced notes that another layout is first at a swing, unless a graver
// case was noted before.
func (f *Figure) displaced(q *strategies.Problem, now, first *strategies.Estimate, at float64) {
	if now.Layout == first.Layout && now.Framework.Name == first.Framework.Name {
		return
	}
	was := q.Estimate(first.Layout, first.Framework)
	gain := 1 - float64(now.Step/was.Step)
	if !was.Fits {
		gain = 1
	}
	if f.First == "" || gain > f.Gain {
		f.First, f.At, f.Gain = now.Layout.String(), at, gain
		f.Tie = gain <= strategies.Resolution
	}
}

// Names of the figures of the hardware.
const (
	Compute = "peak compute"
	ScaleUp = "scale-up bandwidth"
	Network = "network bandwidth"
)

// Scaled returns the problem on hardware with one figure, by its name,
// multiplied by k. It returns nil where the cluster has no such figure.
func Scaled(p *strategies.Problem, name string, k float64) (*strategies.Problem, error) {
	for i := range figures {
		if f := &figures[i]; f.name == name && f.has(p.Cluster) {
			return f.with(p, k)
		}
	}
	return nil, nil
}
