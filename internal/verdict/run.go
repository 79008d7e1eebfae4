package verdict

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
	"planner/verify/replay"
	"planner/verify/transport"
)

// Question is what is to be verified.
type Question struct {
	Emulate  string // a shape: see transport.ParseShape
	Hardware string // a cluster TOML to plan with; "": the shape, perturbed by Seed
	// Cluster is planned with instead, if it is not nil.
	Cluster   *hardware.Cluster
	Model     string
	SeqLen    int
	Batch     int
	Framework string
	Top       int
	Best      bool     // the best layouts alone, rather than good and bad ones
	Layouts   []string // instead of chosen ones
	Rounds    int
	Budget    time.Duration
	Seed      uint64
	Progress  func(round, of int)
}

// perturbation is by how much the profile of an emulated cluster is off from
// the emulator: data sheets are, and a check against the very parameters that
// it runs with would be a circle.
const perturbation = 0.05

// Run is a question at work.
type Run struct {
	Question
	Shape   *transport.Shape
	Profile *hardware.Cluster
	Problem *strategies.Problem
	Chosen  []strategies.Estimate
	Machine *host.Machine // with --hardware host
}

// Prepare reads a question and chooses the layouts. Errors of the input are
// *catalog.Error.
func Prepare(ctx context.Context, q Question) (*Run, error) {
	var machine host.Machine
	if q.Hardware == OwnMachine {
		machine = host.Measure()
	}
	if q.Emulate == "" {
		q.Emulate = DefaultShape
		if q.Hardware == OwnMachine {
			q.Emulate = fmt.Sprintf("1x%d:", machine.Ranks())
		}
	}
	shape, err := transport.ParseShape(q.Emulate)
	if err != nil {
		return nil, catalog.Errorf("--emulate %s", err)
	}
	if shape.Ranks() < 2 || shape.Ranks() > maxRanks {
		return nil, catalog.Errorf("--emulate %q: %d ranks: want 2 to %d", q.Emulate, shape.Ranks(), maxRanks)
	}
	r := &Run{Question: q, Shape: shape}
	if q.Hardware == OwnMachine {
		r.Profile, err = ownProfile(machine, shape)
		r.Machine = &machine
	} else {
		r.Profile, err = profileOf(&q, shape)
	}
	if err != nil {
		return nil, err
	}
	if err := r.fill(); err != nil {
		return nil, err
	}
	return r, r.choose(ctx)
}

// OwnMachine is the --hardware that means this machine as it is measured.
const OwnMachine = "host"

// DefaultShape is a cluster small enough for two cores whose network is ten
// times slower than its nodes inside.
const DefaultShape = "2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms"

// ownProfile measures the links of a shape, or of the machine where it leaves
// them open, and describes them.
func ownProfile(m host.Machine, s *transport.Shape) (*hardware.Cluster, error) {
	b, err := replay.NewLocal(s)
	if err != nil {
		return nil, err
	}
	c := host.Profile(s)
	r, err := b.Run(context.Background(), &replay.Work{Probe: probeSpec(c)}, nil)
	if err := errors.Join(err, b.Close()); err != nil {
		return nil, err
	}
	probes := r.Probes
	if s.Nodes == 1 && len(probes) == 1 {
		return m.Cluster(s.Ranks(), host.Link{Latency: probes[0].Latency, Shared: probes[0].Shared}), nil
	}
	for _, p := range probes {
		t := &c.Tiers[min(p.Tier, len(c.Tiers)-1)]
		t.Bandwidth, t.Fit.Latency = p.Shared, p.Latency
	}
	return c, nil
}

// probeSpec says what the links of a profile are expected to do.
func probeSpec(c *hardware.Cluster) *replay.ProbeSpec {
	return &replay.ProbeSpec{PerNode: c.PerNode, Inside: float64(c.Tiers[0].Bandwidth), Between: float64(c.Tiers[len(c.Tiers)-1].Bandwidth)}
}

// maxRanks bounds the ranks of one process: more than these cannot be on time
// on a machine of a few cores.
const maxRanks = 32

func profileOf(q *Question, s *transport.Shape) (*hardware.Cluster, error) {
	if q.Cluster != nil {
		return q.Cluster, nil
	}
	if q.Hardware == "" {
		return host.Perturb(host.Profile(s), perturbation, q.Seed), nil
	}
	text, err := catalog.ReadFile("cluster TOML", q.Hardware)
	if errors.Is(err, os.ErrNotExist) {
		return nil, catalog.Errorf("--hardware %q: no such file: want a cluster TOML, e.g. of planner verify --calibrate", q.Hardware)
	}
	if err != nil {
		return nil, err
	}
	c, err := catalog.ParseCluster(q.Hardware, text)
	if err != nil {
		return nil, err
	}
	if c.PerNode != s.PerNode {
		return nil, catalog.Errorf("--hardware %q: %d ranks a node: want the %d of --emulate %s", q.Hardware, c.PerNode, s.PerNode, q.Emulate)
	}
	c.GPUs = s.Ranks()
	return c, nil
}

// defaultTokens is the tokens of a step of a bundled model: its steps then
// take tenths of a second on emulated links.
const defaultTokens = 4096

func (r *Run) fill() error {
	if r.Model == "" {
		r.Model = "mini"
	}
	m, err := Model(r.Model)
	if err != nil {
		return err
	}
	if r.SeqLen == 0 {
		r.SeqLen = m.MaxSeq
	}
	if r.Batch == 0 {
		r.Batch = max(2*r.Shape.Ranks(), defaultTokens/r.SeqLen)
	}
	r.Problem, err = Problem(m, r.Profile, r.SeqLen, r.Batch, r.Framework)
	return err
}

func (r *Run) choose(ctx context.Context) error {
	if len(r.Layouts) == 0 {
		r.Chosen = Choose(ctx, r.Problem, r.Top, !r.Best)
		if len(r.Chosen) == 0 {
			return errors.New("nothing to verify: no layout fits")
		}
		return nil
	}
	for _, text := range r.Layouts {
		e, err := estimateOf(r.Problem, text)
		if err != nil {
			return err
		}
		r.Chosen = append(r.Chosen, e)
	}
	return nil
}

// estimateOf predicts a layout under the first framework that runs it.
func estimateOf(p *strategies.Problem, text string) (strategies.Estimate, error) {
	l, err := strategies.ParseLayout(text)
	if err != nil {
		return strategies.Estimate{}, catalog.Errorf("--layout %s", err)
	}
	l, v := l.Complete(p.Cluster.GPUs)
	for _, f := range p.Profiles {
		if v != nil {
			break
		}
		if v = p.Check(&l, f); v == nil {
			return p.Estimate(l, f), nil
		}
		if f != p.Profiles[len(p.Profiles)-1] {
			v = nil
		}
	}
	return strategies.Estimate{}, catalog.Errorf("--layout %s", v)
}

// Measure replays the layouts and judges. The links are measured on their own
// once the layouts have been.
func (r *Run) Measure(ctx context.Context) (*Report, error) {
	var plans []*replay.Plan
	w := &replay.Work{Rounds: r.Rounds, Budget: r.Budget, Probe: probeSpec(r.Profile)}
	for i, e := range r.Chosen {
		plans = append(plans, replay.Build(r.Problem, e.Layout, e.Framework))
		w.Programs = append(w.Programs, plans[i].Program())
	}
	b, err := replay.NewLocal(r.Shape)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	m, err := b.Run(ctx, w, r.Progress)
	if err := errors.Join(err, b.Close()); err != nil {
		return nil, err
	}
	out := r.report(plans, &m.Measurement, m.Probes)
	out.RealTime, out.Seconds = m.RealTime, time.Since(start).Seconds()
	if m := r.Machine; m != nil {
		out.Machine = &Machine{m.Cores, float64(m.Copy), float64(m.Reduce)}
	}
	out.Judge()
	return out, nil
}

func (r *Run) report(plans []*replay.Plan, m *replay.Measurement, probes []replay.Probe) *Report {
	out := &Report{SchemaVersion: 1, Emulate: r.Emulate, Profile: r.Hardware, Seed: r.Seed, Ranks: r.Shape.Ranks(), Nodes: r.Shape.Nodes,
		Model: r.Problem.Model.Title, SeqLen: r.SeqLen, Batch: r.Batch, Rounds: m.Rounds, Redone: m.Redone}
	if out.Model == "" {
		out.Model = r.Problem.Model.Name
	}
	for i, e := range r.Chosen {
		out.Layouts = append(out.Layouts, layoutOf(&e, plans[i], &m.Steps[i]))
	}
	out.Calls = collect(plans, m, r.Shape.PerNode)
	for _, p := range probes {
		out.Links = append(out.Links, linkOf(r.Profile, p))
	}
	out.share()
	return out
}

func layoutOf(e *strategies.Estimate, p *replay.Plan, s *replay.Step) Layout {
	l := Layout{Layout: e.Layout.String(), Framework: e.Framework.Name, Predicted: float64(e.Step),
		Measured: float64(s.Median), StdErr: float64(s.Error), Compute: float64(p.Compute[e.Slowest])}
	for _, t := range s.Times {
		l.Times = append(l.Times, float64(t))
	}
	for _, a := range p.Axes(s) {
		l.Axes = append(l.Axes, Axis{a.Axis.String(), float64(a.Predicted), float64(a.Measured)})
	}
	return l
}

func linkOf(c *hardware.Cluster, p replay.Probe) Link {
	tier := c.ScaleUp
	if p.Tier > 0 {
		tier = len(c.Tiers) - 1
	}
	t := &c.Tiers[tier]
	l := Link{Tier: string(t.Kind), Between: p.Tier > 0, Latency: float64(t.Fit.Latency), Bandwidth: float64(t.Bandwidth.Times(t.Fit.Reach)), Sharing: 1,
		Probed: Probed{float64(p.Latency), float64(p.Alone), float64(p.Shared)}}
	if t.NICs > 0 {
		l.Sharing = float64(c.PerNode) / float64(t.NICs)
	}
	return l
}

// share works out which part of the steps was assumed.
func (r *Report) share() {
	for _, l := range r.Layouts {
		r.Shares.Assumed += min(1, l.Compute/l.Measured) / float64(len(r.Layouts))
	}
	r.Shares.Measured = 1 - r.Shares.Assumed
}
