package bench

import (
	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/hardware/unit"
	"planner/verify/engine"
	"planner/verify/transport"
)

// model prices calls on this machine: what a few calls took before the table
// begins, and the programs that the engine runs.
type model struct {
	latency unit.Seconds // of a message between any two ranks
	curve   curve
	shape   *transport.Shape
	node    func(rank int) int
}

// between prices the emulated link of two ranks.
func (m model) between(from, to int) steps.Link {
	l := m.shape.Intra
	port := uint8(0)
	if m.node(from) != m.node(to) {
		l, port = m.shape.Inter, 1
	}
	link := steps.Link{Latency: l.Delay, Port: port}
	if l.Bandwidth > 0 {
		link.PerByte = unit.Bytes(1).Over(l.Bandwidth)
		if port == 1 && m.shape.NICsPerNode > 0 { // ranks share NICs
			link.PerByte = link.PerByte.Times(float64(m.shape.PerNode) / float64(m.shape.NICsPerNode))
		}
	}
	return link
}

// maxSteps bounds the programs that are walked for a prediction.
const maxSteps = 1 << 16

// predict returns the microseconds that a call should take; 0 where the
// program is too long to walk.
func (m model) predict(c *engine.Comm, s steps.Spec, elem int) (float64, error) {
	total := 0.0
	link, reduce := m.between, unit.Seconds(0)
	if m.shape == nil {
		at := m.curve.at(working(s, elem))
		link = func(int, int) steps.Link { return steps.Link{Latency: m.latency, PerByte: at.move} }
		reduce = at.reduce
	}
	for _, part := range parts(c, s, elem) {
		if part.times == 0 {
			continue
		}
		progs, err := steps.BuildAll(part.Spec)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, p := range progs {
			n += len(p)
		}
		if n > maxSteps {
			return 0, nil
		}
		total += part.times * float64(steps.Cost(progs, unit.Bytes(elem), link, reduce))
	}
	return total * 1e6, nil
}

// timed is a program and how often it is run.
type timed struct {
	steps.Spec
	times float64
}

// parts returns what a call costs as programs. A fused AllReduce writes its
// results to where an AllGather would read and write them: half the traffic.
func parts(c *engine.Comm, s steps.Spec, elem int) (list []timed) {
	if c.Fuses(s, elem) {
		scatter, gather := s, s
		scatter.Op, scatter.Alg = collective.ReduceScatter, steps.Direct
		gather.Op, gather.Alg = collective.AllGather, steps.Direct
		return []timed{{scatter, 1}, {gather, 0.5}}
	}
	for _, p := range c.Segments(s, elem) {
		list = append(list, timed{p.Spec, float64(p.Times)})
	}
	return list
}
