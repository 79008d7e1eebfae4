package replay

import (
	"context"
	"errors"
	"math"
	"time"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/verify/engine"
	"planner/verify/reduce"
)

// Probe is what a kind of link was measured to do, with messages of its own
// beside no other traffic.
type Probe struct {
	Tier    int                 // 0: inside a node, 1: between nodes
	Latency unit.Seconds        // of one small message, one way
	Alone   unit.BytesPerSecond // of one pair
	Shared  unit.BytesPerSecond // of each pair when every rank sends
}

// probeTime is how long a large probe takes on a link of the rate that is
// expected: long against wake-ups.
const probeTime = 15 * unit.Millisecond

// probeRounds is how often a probe is repeated; the fastest counts, since what
// disturbs a message only delays it. Each is several messages one way, so that
// every pair loads the same direction.
const (
	probeRounds = 4
	probeTurns  = 3
)

// probeAll measures the links inside and between nodes.
func probeAll(ctx context.Context, d driver, spec *ProbeSpec) ([]Probe, error) {
	p := prober{ctx: ctx, driver: d}
	var out []Probe
	n, per := d.size(), spec.PerNode
	if per > 1 {
		x, err := p.probe(0, sizeFor(spec.Inside), pairs(n, 1, func(r int) bool { return r%per%2 == 0 && r%per < per-1 }))
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	if n > per {
		x, err := p.probe(1, sizeFor(spec.Between), pairs(n, per, func(r int) bool { return r/per%2 == 0 && r+per < n }))
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// prober has ranks send messages to one another.
type prober struct {
	ctx    context.Context
	driver driver
	made   uint64
	repeat int // bursts there and back; 0: 1
}

// sizeFor returns the bytes of a large probe.
func sizeFor(rate float64) int {
	return int(min(8<<20, max(64<<10, rate*float64(probeTime)))) &^ 63
}

// pairs returns the pairs r, r+distance for every r that ok takes.
func pairs(n, distance int, ok func(int) bool) [][2]int {
	var out [][2]int
	for r := range n {
		if ok(r) {
			out = append(out, [2]int{r, r + distance})
		}
	}
	return out
}

func (j *prober) probe(tier, bytes int, list [][2]int) (Probe, error) {
	p := Probe{Tier: tier}
	var err error
	if p.Latency, err = j.latency(list[:1]); err != nil {
		return p, err
	}
	if p.Alone, err = j.rate(list[:1], bytes); err != nil {
		return p, err
	}
	p.Shared, err = j.rate(list, bytes)
	return p, err
}

// pings is how many round trips tell a latency.
const pings = 8

// latency returns the time of a small message one way, from many there and
// back.
func (j *prober) latency(list [][2]int) (unit.Seconds, error) {
	j.repeat = pings
	took, err := j.exchange(list, 4, 1)
	j.repeat = 1
	return took.Times(1.0 / (2 * pings)), err
}

// rate returns what each of the pairs moves when all do: the bytes by which two
// bursts differ over the time by which they do, so that delays cancel.
func (j *prober) rate(list [][2]int, bytes int) (unit.BytesPerSecond, error) {
	long, err := j.exchange(list, bytes, probeTurns)
	if err != nil {
		return 0, err
	}
	short, err := j.exchange(list, bytes/2, probeTurns)
	return unit.BytesPerSecond(probeTurns * float64(bytes-bytes/2) / max(1e-9, float64(long-short))), err
}

// exchange sends turns messages of bytes over every pair at once, and a word
// back after the last, and returns how long that takes.
func (j *prober) exchange(list [][2]int, bytes, turns int) (unit.Seconds, error) {
	best := math.Inf(1)
	for range probeRounds {
		j.made++
		replies, err := j.driver.do(j.ctx, &command{Kind: cmdExchange, Pairs: list, Bytes: bytes, Turns: turns, Index: j.repeat, Tag: 1<<40 + j.made})
		if err != nil {
			return 0, err
		}
		best = min(best, slowest(replies).Seconds())
	}
	return unit.Seconds(best), nil
}

// exchange is a rank's part: it opens the group of its pair first.
func (s *seat) exchange(c *command, begin time.Time) (*reply, error) {
	for _, p := range c.Pairs {
		if me := s.world.Rank(); p[0] != me && p[1] != me {
			continue
		}
		g, err := engine.NewGroup(s.world, hash(c.Tag, p[:]), p[:])
		if err != nil {
			return nil, err
		}
		await(begin)
		for range max(1, c.Index) {
			err = errors.Join(err, burst(g, c.Bytes, c.Turns))
		}
		return &reply{End: time.Since(begin)}, errors.Join(err, g.Close())
	}
	return &reply{}, nil
}

// burst sends some messages from rank 0 of a pair to rank 1, and a word back.
func burst(c *engine.Comm, bytes, turns int) error {
	b := make([]byte, bytes)
	send := engine.Call{Op: collective.Send, Type: reduce.F32, Peer: 1 - c.Rank(), Count: bytes / reduce.F32.Size(), In: b, Out: b}
	recv := send
	recv.Op = collective.Recv
	there, back := send, recv
	if c.Rank() == 1 {
		there, back = recv, send
	}
	for range turns {
		if err := c.Do(there); err != nil {
			return err
		}
	}
	back.Count = 1
	return c.Do(back)
}
