package step

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"planner/costmodel/collective"
	"planner/verify/gpu/nccl"
	"planner/verify/replay"
)

// sentinelBytes is the message of the sentinel: its time is that of latency
// and of bytes alike.
const sentinelBytes = 1 << 20

// Sentinel makes a fixed call of all ranks, a few times.
func (n *NCCL) Sentinel() error {
	if err := n.grow(sentinelBytes); err != nil {
		return err
	}
	for range 4 {
		if err := n.world.Do(n.call(collective.AllReduce, collective.FP32, sentinelBytes)); err != nil {
			return err
		}
	}
	return n.world.Wait()
}

// Exchange sends turns messages from the first of each pair to the second, and
// a word back.
func (n *NCCL) Exchange(c *replay.Command) (time.Duration, error) {
	comm, err := n.partner(c.Pairs)
	if err != nil || comm == nil {
		return 0, err
	}
	if err := n.grow(c.Bytes); err != nil {
		return 0, err
	}
	there := endOf(n.call(collective.Send, collective.FP32, int64(c.Bytes)), comm.Rank)
	back := there
	if back.Op, back.Count = collective.Recv, 1; there.Op == collective.Recv {
		back.Op = collective.Send
	}
	if err := n.home.Record(n.timer[0]); err != nil {
		return 0, err
	}
	for i := range c.Turns + 1 {
		k := there
		if i == c.Turns {
			k = back
		}
		if err := comm.Do(k); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(n.home.Record(n.timer[1]), comm.Wait()); err != nil {
		return 0, err
	}
	took, err := n.home.Between(n.timer[0], n.timer[1])
	return time.Duration(took * 1e9), err
}

// partner returns the communicator of the rank's pair; all ranks ask at once.
func (n *NCCL) partner(pairs [][2]int) (*nccl.Comm, error) {
	color, place := -1, 0
	for _, p := range pairs {
		if i := slices.Index(p[:], n.world.Rank); i >= 0 {
			color, place = p[0], i
		}
	}
	name := fmt.Sprint(pairs)
	comm, known := n.pairs[name]
	if !known {
		var err error
		if comm, err = n.world.Split(color, place); err != nil {
			return nil, err
		}
		n.pairs[name] = comm
		n.order = append(n.order, comm)
	}
	if comm != nil {
		comm.On(n.home)
	}
	return comm, nil
}
