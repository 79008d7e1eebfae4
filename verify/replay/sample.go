package replay

import (
	"slices"
	"time"

	"planner/costmodel/collective"
)

// sampleTag is the tag of the groups of samples: no stream of a program has it.
const sampleTag = 1 << 20

func (x *Sample) spec() CallSpec {
	return CallSpec{Op: x.Op, DType: x.DType, Algorithm: x.Algorithm, Bytes: x.Bytes, Size: len(x.Groups[0])}
}

// groupOf returns the group of a rank, nil if it has none.
func (x *Sample) groupOf(rank int) []int {
	for _, g := range x.Groups {
		if slices.Contains(g, rank) {
			return g
		}
	}
	return nil
}

func (x *Sample) wants(members []int) wanted {
	c := x.spec()
	return wanted{tag: sampleTag, members: members, bytes: func(rings int) int { return bufferBytes(&c, rings) }}
}

// sample makes the call of a sample once.
func (s *seat) sample(x *Sample, begin time.Time) (*reply, error) {
	members := x.groupOf(s.world.Rank())
	if members == nil {
		return &reply{}, nil
	}
	c, peer := x.spec(), 0
	if c.Op == collective.Send {
		if peer = 1; members[0] != s.world.Rank() {
			c.Op, peer = collective.Recv, 0
		}
	}
	g := s.groups[hash(sampleTag, members)]
	await(begin)
	e := event{Group: g.id, Seq: int32(g.calls), Begin: time.Since(begin)}
	err := g.do(&c, peer)
	e.End = time.Since(begin)
	return &reply{[]event{e}, e.End}, err
}
