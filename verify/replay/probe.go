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

// Bytes of a large probe: enough for tens of milliseconds on links of tens of
// MB/s, and few enough for a fast link to be quick.
const probeBytes = 512 << 10

// probeRounds is how often a probe is repeated; the fastest counts, since what
// disturbs a message only delays it.
const probeRounds = 5

// Probe measures the links inside and between nodes of perNode ranks.
func (j *Job) Probe(perNode int) ([]Probe, error) {
	var out []Probe
	n := len(j.worlds)
	if perNode > 1 {
		p, err := j.probe(0, pairs(n, 1, func(r int) bool { return r%2 == 0 && r%perNode < perNode-1 }))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if n > perNode {
		p, err := j.probe(1, pairs(n, perNode, func(r int) bool { return r/perNode%2 == 0 && r+perNode < n }))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
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

func (j *Job) probe(tier int, list [][2]int) (Probe, error) {
	p := Probe{Tier: tier}
	small, err := j.exchange(tier, list[:1], 4)
	if err != nil {
		return p, err
	}
	alone, err := j.exchange(tier, list[:1], probeBytes)
	if err != nil {
		return p, err
	}
	shared, err := j.exchange(tier, list, probeBytes)
	if err != nil {
		return p, err
	}
	p.Latency = small
	p.Alone = unit.BytesPerSecond(probeBytes / max(1e-9, float64(alone-small)))
	p.Shared = unit.BytesPerSecond(probeBytes / max(1e-9, float64(shared-small)))
	return p, nil
}

// exchange sends bytes over every pair at once, there and back, and returns
// the time of one way.
func (j *Job) exchange(tier int, list [][2]int, bytes int) (unit.Seconds, error) {
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
			err := pingPong(comms[r], bytes)
			ends[r] = time.Since(begin)
			return err
		})
		slowest := time.Duration(0)
		for _, e := range ends {
			slowest = max(slowest, e)
		}
		best = min(best, slowest.Seconds()/2)
	}
	return unit.Seconds(best), err
}

// pingPong sends to the other rank of a pair and back.
func pingPong(c *engine.Comm, bytes int) error {
	b := make([]byte, bytes)
	n := bytes / reduce.F32.Size()
	there := engine.Call{Op: collective.Send, Type: reduce.F32, Peer: 1 - c.Rank(), Count: n, In: b, Out: b}
	back := there
	back.Op = collective.Recv
	if c.Rank() == 1 {
		there, back = back, there
	}
	if err := c.Do(there); err != nil {
		return err
	}
	return c.Do(back)
}
