package bench

import (
	"math"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/hardware/unit"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// model prices calls on this machine: two figures measured before the table
// begins, and the programs that the engine runs.
type model struct {
	link   steps.Link   // between any two ranks
	reduce unit.Seconds // per byte
	shape  *transport.Shape
	node   func(rank int) int
}

const (
	calibrationBytes  = 1 << 20
	calibrationRounds = 10
)

// calibrate measures the price of a message and of a byte while all ranks
// communicate. Of several rounds the fastest counts.
func calibrate(c *engine.Comm, shape *transport.Shape) (model, error) {
	m := model{shape: shape, node: c.World().Node}
	if c.Size() < 2 {
		return m, nil
	}
	rounds := math.Ceil(math.Log2(float64(c.Size())))
	latency, err := best(c, c.Barrier)
	if err != nil {
		return m, err
	}
	in, err := c.Alloc(calibrationBytes)
	if err != nil {
		return m, err
	}
	defer c.Free(in)
	e := reduce.F32.Size()
	n := calibrationBytes / e / c.Size() * c.Size()
	gather, err := best(c, func() error {
		return c.Do(engine.Call{Op: collective.AllGather, Type: reduce.F32, Count: n, Algorithm: engine.Force(steps.Ring),
			In: piece(in, n, c), Out: in})
	})
	if err != nil {
		return m, err
	}
	scatter, err := best(c, func() error {
		return c.Do(engine.Call{Op: collective.ReduceScatter, Type: reduce.F32, Reduction: reduce.Max, Count: n,
			Algorithm: engine.Force(steps.Direct), In: in, Out: piece(in, n, c)})
	})
	if err != nil {
		return m, err
	}
	sent := float64(n*e) * collective.AllGather.BusFactor(c.Size())
	m.link = steps.Link{Latency: unit.Seconds(latency / rounds), PerByte: unit.Seconds(gather / sent)}
	m.reduce = unit.Seconds(max(0, scatter-gather) / sent)
	if shape != nil { // the links are known, and were in the way of measuring the machine
		m.link.Latency, m.link.PerByte, m.reduce = 0, 0, 0
	}
	return m, nil
}

// piece returns the rank's piece of n elements of f32.
func piece(b []byte, n int, c *engine.Comm) []byte {
	off, k := steps.Cut(n, c.Size(), c.Rank())
	return b[4*off : 4*(off+k)]
}

// best returns the seconds of f's fastest run, each the slowest rank's.
func best(c *engine.Comm, f func() error) (float64, error) {
	least := math.Inf(1)
	for range calibrationRounds {
		if err := c.Barrier(); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		t, err := c.Slowest(time.Since(begin).Seconds())
		if err != nil {
			return 0, err
		}
		least = min(least, t)
	}
	return least, nil
}

// between prices the link of two ranks.
func (m model) between(from, to int) steps.Link {
	if m.shape == nil {
		return m.link
	}
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
	for _, part := range c.Segments(s, elem) {
		if part.Times == 0 {
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
		total += float64(part.Times) * float64(steps.Cost(progs, unit.Bytes(elem), m.between, m.reduce))
	}
	return total * 1e6, nil
}
