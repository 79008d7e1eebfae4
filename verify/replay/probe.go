package replay

import (
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

// Probe measures the links inside and between nodes of perNode ranks, given the
// rates that are expected of them.
func (j *Job) Probe(perNode int, inside, between unit.BytesPerSecond) ([]Probe, error) {
	var out []Probe
	n := len(j.worlds)
	if perNode > 1 {
		p, err := j.probe(0, sizeFor(inside), pairs(n, 1, func(r int) bool { return r%perNode%2 == 0 && r%perNode < perNode-1 }))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if n > perNode {
		p, err := j.probe(1, sizeFor(between), pairs(n, perNode, func(r int) bool { return r/perNode%2 == 0 && r+perNode < n }))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// sizeFor returns the bytes of a large probe.
func sizeFor(rate unit.BytesPerSecond) int {
	return int(min(8<<20, max(64<<10, float64(rate)*float64(probeTime)))) &^ 63
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

func (j *Job) probe(tier, bytes int, list [][2]int) (Probe, error) {
	p := Probe{Tier: tier}
	there, err := j.exchange(list[:1], 4, 1)
	if err != nil {
		return p, err
	}
	p.Latency = there.Times(0.5) // the word back is a message too
	if p.Alone, err = j.rate(list[:1], bytes); err != nil {
		return p, err
	}
	p.Shared, err = j.rate(list, bytes)
	return p, err
}

// rate returns what each of the pairs moves when all do: the bytes by which two
// bursts differ over the time by which they do, so that delays cancel.
func (j *Job) rate(list [][2]int, bytes int) (unit.BytesPerSecond, error) {
	long, err := j.exchange(list, bytes, probeTurns)
	if err != nil {
		return 0, err
	}
	short, err := j.exchange(list, bytes/2, probeTurns)
	return unit.BytesPerSecond(probeTurns * float64(bytes-bytes/2) / max(1e-9, float64(long-short))), err
}

// exchange sends turns messages of bytes over every pair at once, and a word
// back after the last, and returns how long that takes.
func (j *Job) exchange(list [][2]int, bytes, turns int) (unit.Seconds, error) {
	best := math.Inf(1)
	peer := map[int]int{}
	for _, p := range list {
		peer[p[0]], peer[p[1]] = p[1], p[0]
	}
	j.probes++
	tag := 1<<40 + uint64(j.probes)
	comms := make([]*engine.Comm, len(j.worlds))
	defer func() {
		for _, c := range comms {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	err := j.each(func(r int) (err error) {
		if other, in := peer[r]; in {
			members := []int{min(r, other), max(r, other)}
			comms[r], err = engine.NewGroup(j.worlds[r], hash(tag, members), members)
		}
		return err
	})
	for range probeRounds {
		if err != nil {
			return 0, err
		}
		begin := time.Now().Add(head)
		ends := make([]time.Duration, len(j.worlds))
		err = j.each(func(r int) error {
			if comms[r] == nil {
				return nil
			}
			time.Sleep(time.Until(begin))
			err := burst(comms[r], bytes, turns)
			ends[r] = time.Since(begin)
			return err
		})
		slowest := time.Duration(0)
		for _, e := range ends {
			slowest = max(slowest, e)
		}
		best = min(best, slowest.Seconds())
	}
	return unit.Seconds(best), err
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
