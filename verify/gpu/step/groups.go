package step

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"planner/costmodel/collective"
	"planner/verify/reduce"
	"planner/verify/replay"
)

// key names a way to divide the ranks into groups that make a kind of call
// together. Ranks that make different calls of an axis are still divided alike,
// so that all can form the groups at once.
type key struct {
	kind         kind
	axis         collective.Axis
	stride, size int
	inner        int // of hops
	stages       int
	dir          uint8
	color        int // of the sender's edge in the ring of pipeline ranks
	sample       int
}

type kind uint8

const (
	collectively kind = iota // ranks of an axis
	shifting                 // the same, each sending to the next
	hopping                  // pairs of pipeline ranks
	sampling                 // groups of a sample
)

// keyOf returns the key of a call of a program on a pipeline rank.
func keyOf(p *replay.Program, stage int, a *replay.Action) key {
	c := &p.Calls[a.Row]
	if a.Peer < 0 {
		k := key{kind: collectively, axis: c.Axis, stride: c.Stride, size: c.Size}
		if c.Op == collective.Send {
			k.kind = shifting
		}
		return k
	}
	sender := stage
	if c.Op == collective.Recv {
		sender = int(a.Peer)
	}
	return key{kind: hopping, inner: p.Inner, stages: len(p.Stages), dir: a.Dir, color: edge(sender, len(p.Stages))}
}

// edge colors the messages of a ring of n pipeline ranks by their sender, so
// that no rank sends and receives on the same communicator: calls on one run
// in turn, and a hop would wait for one that goes elsewhere.
func edge(sender, n int) int {
	if n%2 == 1 && sender == n-1 {
		return 2
	}
	return sender % 2
}

// starts goes through the calls that a work's programs start, each with its key.
func starts(w *replay.Work) iter.Seq2[key, *replay.CallSpec] {
	return func(yield func(key, *replay.CallSpec) bool) {
		for _, p := range w.Programs {
			for s := range p.Stages {
				for i := range p.Stages[s] {
					if a := &p.Stages[s][i]; a.Kind == replay.Start && !yield(keyOf(p, s, a), &p.Calls[a.Row]) {
						return
					}
				}
			}
		}
	}
}

// keysOf lists the keys of a work in an order on which all ranks agree.
func keysOf(w *replay.Work) []key {
	var out []key
	seen := map[key]bool{}
	add := func(k key) {
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	for k := range starts(w) {
		add(k)
	}
	for i := range w.Samples {
		add(key{kind: sampling, sample: i})
	}
	return out
}

// opsOf lists the operations that a work makes in groups of a key. A message
// is its Send, which stands for both ends.
func opsOf(w *replay.Work, k key) (ops []collective.Op) {
	switch k.kind {
	case sampling:
		return []collective.Op{w.Samples[k.sample].Op}
	case hopping, shifting:
		return []collective.Op{collective.Send}
	}
	var seen [collective.NumOps]bool
	for started, c := range starts(w) {
		if started == k {
			seen[c.Op] = true
		}
	}
	for op, yes := range seen {
		if yes {
			ops = append(ops, collective.Op(op))
		}
	}
	return ops
}

// group returns the ranks of a rank's group, in its order, and nil if it is in
// none. Of a hop the sender stands first.
func (k *key) group(w *replay.Work, rank int) []int {
	switch k.kind {
	case sampling:
		for _, g := range w.Samples[k.sample].Groups {
			if slices.Contains(g, rank) {
				return g
			}
		}
		return nil
	case hopping:
		return k.pair(rank)
	}
	base := rank - rank/k.stride%k.size*k.stride
	out := make([]int, k.size)
	for i := range out {
		out[i] = base + i*k.stride
	}
	return out
}

// pair returns sender and receiver of the rank's message of the color.
func (k *key) pair(rank int) []int {
	step := 1 - 2*int(k.dir)
	stage, column := rank/k.inner, rank%k.inner
	for _, from := range []int{stage, (stage - step + k.stages) % k.stages} {
		to := (from + step + k.stages) % k.stages
		if edge(from, k.stages) == k.color && from != to {
			return []int{from*k.inner + column, to*k.inner + column}
		}
	}
	return nil
}

// String names a key in errors.
func (k *key) String() string {
	switch k.kind {
	case sampling:
		return fmt.Sprintf("groups of sample %d", k.sample)
	case hopping:
		return fmt.Sprintf("hops %d between %d pipeline ranks", k.dir, k.stages)
	}
	return fmt.Sprintf("groups of %d ranks, %d apart, of axis %s", k.size, k.stride, strings.ToLower(k.axis.String()))
}

// id tells groups apart in events.
func (k *key) id(number int, members []int) uint64 { return uint64(number)<<32 | uint64(members[0]) }

// dtypeOf returns the engine's type for a call's. Types that are not reduced
// travel as words of the same bytes.
func dtypeOf(d collective.DType) reduce.DType {
	switch d {
	case collective.BF16:
		return reduce.BF16
	case collective.FP16:
		return reduce.F16
	}
	return reduce.F32
}

// elements returns the elements of M of a call.
func elements(bytes int64, t reduce.DType) int { return int(max(1, bytes/int64(t.Size()))) }
