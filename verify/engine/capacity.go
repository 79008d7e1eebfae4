package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// capacityID is the group that measures; groups of callers begin at 16.
const capacityID = 2

const (
	capacityBytes  = 1 << 20 // per message: large against latency, small against caches
	capacityRounds = 8
)

// CheckShape returns an error if a link of s is faster than what this machine
// really moves per rank while all ranks move, which it measures first. All
// ranks call it, and all get the same answer.
func CheckShape(w transport.World, s *transport.Shape) error {
	all := make([]int, w.Size())
	for i := range all {
		all[i] = i
	}
	p, err := transport.OpenBare(w, capacityID, all)
	if err != nil {
		return err
	}
	c := newComm(w, p, capacityID)
	intra, err := c.capacity(s.PerNode > 1, s.Intra, neighbour(c.Rank(), s.PerNode))
	if err == nil {
		var inter unit.BytesPerSecond
		to := (c.Rank() + s.PerNode) % s.Ranks()
		from := (c.Rank() - s.PerNode + s.Ranks()) % s.Ranks()
		if inter, err = c.capacity(s.Nodes > 1, s.Inter, [2]int{to, from}); err == nil {
			err = firstError(refuse("inside a node", s.Intra, intra, w.Size()), refuse("between nodes", s.Inter, inter, w.Size()))
		}
	}
	if e := c.Close(); err == nil {
		err = e
	}
	return err
}

func firstError(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// neighbour returns the ranks of the same node after and before rank.
func neighbour(rank, per int) [2]int {
	base, l := rank-rank%per, rank%per
	return [2]int{base + (l+1)%per, base + (l+per-1)%per}
}

func refuse(where string, l transport.Link, can unit.BytesPerSecond, ranks int) error {
	if l.Bandwidth <= can {
		return nil
	}
	return fmt.Errorf("emulated link %s of %v: too fast: this machine moves %v per rank with %d ranks: want at most that",
		where, l.Bandwidth, can, ranks)
}

// capacity returns the rate of the slowest rank when every rank sends to
// peers[0] and receives from peers[1]; without limit when there is nothing to
// measure. Of several rounds the fastest counts: the others were disturbed.
func (c *Comm) capacity(used bool, l transport.Link, peers [2]int) (unit.BytesPerSecond, error) {
	best := math.Inf(1)
	if !used || l.Bandwidth == 0 {
		return unit.BytesPerSecond(best), nil
	}
	out, err := c.Alloc(capacityBytes)
	if err != nil {
		return 0, err
	}
	defer c.Free(out)
	in := make([]byte, capacityBytes)
	for range capacityRounds {
		begin := time.Now()
		if err := c.swap(out, in, peers); err != nil {
			return 0, err
		}
		mine := time.Since(begin).Seconds()
		slowest, err := c.Slowest(mine)
		if err != nil {
			return 0, err
		}
		best = min(best, slowest)
	}
	return unit.BytesPerSecond(capacityBytes / best), nil
}

// swap sends out to peers[0] while it receives in from peers[1].
func (c *Comm) swap(out, in []byte, peers [2]int) error {
	sig := transport.Signature{Op: uint8(collective.AllToAll), Count: capacityBytes}
	if err := c.port.Begin(sig, 1); err != nil {
		return err
	}
	if err := c.port.Send(peers[0], out); err != nil {
		return err
	}
	if err := c.port.Recv(peers[1], in, nil, nil); err != nil {
		return err
	}
	return c.port.Flush()
}

// Slowest returns the largest of what the ranks pass, which is how long a
// collective took.
func (c *Comm) Slowest(seconds float64) (float64, error) {
	b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(seconds))
	err := c.AllReduce(b, b, 1, reduce.F64, reduce.Max)
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), err
}
