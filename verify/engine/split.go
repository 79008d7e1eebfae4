package engine

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"planner/costmodel/collective"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Split makes one group of all members with the same color, ordered by key and
// then by rank. Every member calls it; one with a negative color gets nil.
func (c *Comm) Split(color, key int) (*Comm, error) {
	n := c.Size()
	mine, all := make([]byte, 8), make([]byte, 8*n)
	binary.LittleEndian.PutUint32(mine, uint32(color))
	binary.LittleEndian.PutUint32(mine[4:], uint32(key))
	err := c.Do(Call{Op: collective.AllGather, Type: reduce.I32, Count: 2 * n, In: mine, Out: all})
	if err != nil {
		return nil, err
	}
	c.splits++
	if color < 0 {
		return nil, nil
	}
	var ranks []int
	keys := make([]int32, n)
	for r := range n {
		keys[r] = int32(binary.LittleEndian.Uint32(all[8*r+4:]))
		if int32(binary.LittleEndian.Uint32(all[8*r:])) == int32(color) {
			ranks = append(ranks, r)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	for i, r := range ranks {
		ranks[i] = c.port.World(r)
	}
	return NewGroup(c.world, groupID(c.id, c.splits, uint64(color)), ranks)
}

// groupID names a group by the way it came to be, alike on every member.
func groupID(words ...uint64) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		_ = binary.Write(h, binary.LittleEndian, w)
	}
	return h.Sum64()
}

// Barrier returns when every member has called it: ceil(lg n) rounds of empty
// messages to ever more distant ranks (Hensgen, Finkel, Manber, Two algorithms
// for barrier synchronization, 1988).
func (c *Comm) Barrier() error {
	if c.stream.busy() {
		return c.Start(Call{Op: collective.NumOps}).Wait()
	}
	return c.barrier()
}

func (c *Comm) barrier() error {
	n, r := c.Size(), c.Rank()
	if err := c.port.Begin(transport.Signature{Op: barrierCode}, n); err != nil {
		return err
	}
	for d, i := 1, 0; d < n; d, i = 2*d, i+1 {
		c.port.Step(i)
		if err := c.port.Send((r+d)%n, nil); err != nil {
			return err
		}
		if err := c.port.Recv((r-d+n)%n, nil, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
