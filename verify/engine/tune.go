package engine

import (
	"slices"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
)

// Tuning holds the sizes at which the engine changes its ways. Bytes
// throughout.
type Tuning struct {
	OneShot int // AllReduce: up to here every rank reduces everything
	Small   int // up to here few rounds beat little traffic
	Segment int // AllReduce, Reduce, Broadcast run in segments of this size; 0 does not cut
	Chunk   int // pieces of pipelined algorithms
	Fuse    int // two-shot AllReduce: from here ranks write results into one another's buffers; 0 never
	Stream  int // from here they write around the caches
}

// defaultTuning returns the sizes for ranks that read one another's memory,
// open to one another or through emulated links, or for sockets. They are
// where the curves of two algorithms cross on a 2-core AMD EPYC, 2026-11;
// `planner bench --algo` draws them for another machine. A one-shot call waits
// for the others once where a two-shot one does twice, which costs more where
// ranks share cores.
func defaultTuning(direct, open, ownCore bool) Tuning {
	switch {
	case open && ownCore:
		return Tuning{OneShot: 1 << 10, Small: 32 << 10, Segment: 1 << 20, Chunk: 256 << 10, Fuse: 1, Stream: 8 << 20}
	case open:
		return Tuning{OneShot: 4 << 10, Small: 32 << 10, Segment: 1 << 20, Chunk: 256 << 10, Fuse: 1, Stream: 8 << 20}
	case direct:
		return Tuning{OneShot: 8 << 10, Small: 32 << 10, Segment: 1 << 20, Chunk: 256 << 10}
	}
	return Tuning{OneShot: 16 << 10, Small: 64 << 10, Chunk: 256 << 10}
}

// SetTuning replaces the sizes at which the engine changes its ways. All ranks
// of the group must set the same.
func (c *Comm) SetTuning(t Tuning) { c.tuning = t }

// Tuning returns the sizes in use.
func (c *Comm) Tuning() Tuning { return c.tuning }

// choose returns the algorithm for a call.
func (t Tuning) choose(call Call, s steps.Spec, node int) steps.Algorithm {
	if call.Algorithm.Forced {
		return call.Algorithm.Algorithm
	}
	small := call.Bytes() <= t.Small
	switch s.Op {
	case collective.AllReduce:
		return t.allReduce(call.Bytes(), s.Ranks, node)
	case collective.ReduceScatter, collective.AllGather, collective.AllToAll:
		return steps.Direct
	case collective.Broadcast:
		if small || t.Segment > 0 {
			return steps.Binomial
		}
		return steps.Chain
	case collective.Reduce, collective.Gather, collective.Scatter:
		if small {
			return steps.Binomial
		}
	}
	return fallback(s.Op)
}

// fallback is what serves op at any size.
func fallback(op collective.Op) steps.Algorithm {
	if a := steps.Algorithms(op); !slices.Contains(a, steps.Direct) {
		return a[0]
	}
	return steps.Direct
}

func (t Tuning) allReduce(bytes, ranks, node int) steps.Algorithm {
	between := node > 0 && node < ranks // the group spans nodes of equal size
	switch {
	case bytes <= t.OneShot && ranks <= 4:
		return steps.OneShot
	case bytes <= t.Small && t.Segment == 0:
		return steps.Recursive
	case between && node > 1:
		return steps.Hierarchical
	case t.Segment > 0:
		return steps.TwoShot
	}
	return steps.Ring
}

// chunk returns elements per pipelined piece.
func (t Tuning) chunk(s steps.Spec, size int) int {
	switch s.Alg {
	case steps.Ring, steps.Tree, steps.DoubleTree, steps.Chain, steps.Hierarchical:
		return t.Chunk / size
	}
	return 0
}

// segment returns elements per segment; s.Count if the call is not cut.
func (t Tuning) segment(s steps.Spec, size int) int {
	switch s.Op {
	case collective.AllReduce, collective.Broadcast, collective.Reduce:
		if t.Segment > 0 {
			return max(1, t.Segment/size)
		}
	}
	return max(1, s.Count)
}
