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

// price is what a byte costs while every rank works on so many bytes.
type price struct {
	working float64      // bytes of a rank's buffers
	move    unit.Seconds // per byte sent
	reduce  unit.Seconds // per byte reduced
}

// curve is prices by rising bytes: those of the caches first, then those of
// memory.
type curve []price

// at interpolates over the logarithm of bytes, and keeps to the first and last
// price outside of what was measured.
func (c curve) at(bytes float64) price {
	if len(c) == 0 {
		return price{}
	}
	i := 0
	for i < len(c) && c[i].working < bytes {
		i++
	}
	if i == 0 || i == len(c) {
		return c[max(0, i-1)]
	}
	a, b := c[i-1], c[i]
	t := math.Log(bytes/a.working) / math.Log(b.working/a.working)
	mix := func(x, y unit.Seconds) unit.Seconds { return x + (y - x).Times(t) }
	return price{bytes, mix(a.move, b.move), mix(a.reduce, b.reduce)}
}

// working returns the bytes of a rank's buffers in a call, on average.
func working(s steps.Spec, elem int) float64 {
	n := 0
	for r := range s.Ranks {
		in, out := steps.Lens(s, r)
		n += in + out
	}
	return float64(n*elem) / float64(s.Ranks)
}

const (
	calibrateFrom = 4 << 10
	calibrateTo   = 64 << 20 // four times a large last-level cache's share of a core
	calibrateStep = 4
)

// calibrate measures what a message and a byte cost while all ranks
// communicate: direct AllGathers move bytes, direct ReduceScatters reduce them
// too. It measures no larger ones than are asked for. Emulated links are known,
// and would be in the way of measuring the machine.
func calibrate(c *engine.Comm, shape *transport.Shape, largest int) (model, error) {
	m := model{shape: shape, node: c.World().Node}
	if c.Size() < 2 || shape != nil {
		return m, nil
	}
	whole, err := c.Alloc(max(calibrateFrom, min(largest, calibrateTo), 4*c.Size()))
	if err != nil {
		return m, err
	}
	defer c.Free(whole)
	part, err := c.Alloc(len(whole)/c.Size() + 4)
	if err != nil {
		return m, err
	}
	defer c.Free(part)
	tiny, err := gather(c, part, whole, c.Size())
	if err != nil {
		return m, err
	}
	m.latency = unit.Seconds(tiny)
	for size := calibrateFrom; size <= len(whole); size *= calibrateStep {
		p, err := priceOf(c, part, whole, size/4, tiny)
		if err != nil {
			return m, err
		}
		m.curve = append(m.curve, p)
	}
	return m, nil
}

// priceOf measures the prices of calls of n elements of f32.
func priceOf(c *engine.Comm, part, whole []byte, n int, latency float64) (price, error) {
	move, err := gather(c, part, whole, n)
	if err != nil {
		return price{}, err
	}
	both, err := scatter(c, part, whole, n)
	if err != nil {
		return price{}, err
	}
	sent := float64(4*n) * collective.AllGather.BusFactor(c.Size())
	return price{
		working: float64(4*n) * (1 + 1/float64(c.Size())),
		move:    unit.Seconds(max(0, move-latency) / sent),
		reduce:  unit.Seconds(max(0, both-move) / sent),
	}, nil
}

func gather(c *engine.Comm, part, whole []byte, n int) (seconds float64, err error) {
	return best(c, engine.Call{Op: collective.AllGather, Type: reduce.F32, Count: n,
		Algorithm: engine.Force(steps.Direct), In: part, Out: whole})
}

func scatter(c *engine.Comm, part, whole []byte, n int) (seconds float64, err error) {
	return best(c, engine.Call{Op: collective.ReduceScatter, Type: reduce.F32, Reduction: reduce.Max, Count: n,
		Algorithm: engine.Force(steps.Direct), In: whole, Out: part})
}

// best returns the seconds of a call's fastest run after the first, each the
// slowest rank's: the others were disturbed.
func best(c *engine.Comm, call engine.Call) (float64, error) {
	rounds := 30
	if call.Bytes() >= 1<<20 {
		rounds = 5
	}
	least := math.Inf(1)
	for i := range rounds {
		if err := c.Barrier(); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := c.Do(call); err != nil {
			return 0, err
		}
		t, err := c.Slowest(time.Since(begin).Seconds())
		if err != nil {
			return 0, err
		}
		if i > 0 {
			least = min(least, t)
		}
	}
	return least, nil
}
