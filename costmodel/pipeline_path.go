package costmodel

import "planner/hardware/unit"

// path measures paths through the passes of a pipeline of p ranks, v chunks
// each, n = m·v passes a rank in each direction. With f, b and w the times of
// one pass forward, backward and of its split weight gradient (0 unless ZB-H1),
// the path that stays at rank s takes
//
//	Σ_{i<s} fᵢ + n·(f+b+w) + detours + the way up
//
// A rank runs q forward passes ahead: p−s−1, or 2(p−s−1)+(v−1)p interleaved.
// Between its first forward and its first backward pass the path may follow
// the first micro-batch down to the last rank and back, when that takes longer
// than the q forward passes meanwhile, and likewise the last micro-batch
// instead of q backward passes (and the weight gradients between them). On its
// way through v chunks the micro-batch meets the slowest rank (v−1)·p times:
//
//	down = Σ_{i>s} (fᵢ+bᵢ) + (v−1)·p·max fᵢ,  back = Σ_{i>s} (fᵢ+bᵢ) + (v−1)·p·max bᵢ
//	detours = max(0, down − q·f) + max(0, back − q·b − …·w)
//
// A rank that runs every forward pass first takes one of them at most.
type path struct {
	m, v         float64
	split        bool
	ranks        float64
	fwd, bwd     unit.Seconds // of one pass over every rank
	maxF, maxB   unit.Seconds // of one pass of the slowest rank, the head left out
	head         unit.Seconds // of the head, each way, beyond a pass of its rank
	last         unit.Seconds // of one pass each way of the last rank and the head
	above, below float64      // ranks before and after the one looked at
	downF, downB unit.Seconds // of one pass over the ranks before it
	up           unit.Seconds // longest way up from the rank looked at
	ahead, slow  unit.Seconds // slowest forward pass of ranks that run all of them first; slowest backward pass
	weight       unit.Seconds // weight gradient that the first rank ends with
}

// passes returns the times of one pass of a stage, and in h those of the head
// beyond it: with one chunk every pass has it.
func (x *path) passes(s *StageTime) (f, b, w unit.Seconds, h Pass) {
	if x.split {
		w = s.Weight
	}
	if x.v > 1 {
		h = s.Head
	}
	return (s.Fwd - h.Fwd).Times(1 / x.v), (s.Bwd - h.Bwd - w).Times(1 / x.v), w, h
}

func (x *path) add(s *StageTime) {
	f, b, _, h := x.passes(s)
	n := float64(s.Ranks)
	x.ranks += n
	x.below += n
	x.fwd += f.Times(n)
	x.bwd += b.Times(n)
	x.maxF, x.maxB = max(x.maxF, f), max(x.maxB, b)
	x.head = h.Fwd + h.Bwd
	x.last = f + b + x.head
}

// through returns the longest path that stays at a rank of s, of which the
// first and the last bound the others. It takes stages in pipeline order.
func (x *path) through(s *StageTime) unit.Seconds {
	f, b, w, h := x.passes(s)
	if x.above == 0 {
		x.weight = w
	}
	x.up = max(x.up, x.left(x.above, w))
	x.below--
	head := h.Fwd + h.Bwd
	longest := max(x.stay(f, b, w, head), x.turn(f, b))
	if more := float64(s.Ranks - 1); more > 0 {
		first := x.above
		x.above += more
		x.below -= more
		x.downF += f.Times(more)
		x.downB += b.Times(more)
		x.up = max(x.up+b.Times(more), x.left(x.above, w))
		if kink := min(x.above, x.m-1); kink > first {
			x.up = max(x.up, b.Times(x.above-kink)+x.left(kink, w))
		}
		longest = max(longest, x.stay(f, b, w, head), x.turn(f, b))
	}
	x.above++
	x.downF += f
	x.downB += b
	x.up += b
	return longest
}

// left returns the weight gradients that rank i runs after its last backward
// pass.
func (x *path) left(i float64, w unit.Seconds) unit.Seconds { return w.Times(min(x.m, i+1)) }

// stay returns the longest path that stays at the rank looked at, of whose m
// passes each way through its last chunk a head is part.
func (x *path) stay(f, b, w, head unit.Seconds) unit.Seconds {
	n := x.m * x.v
	ahead, again := x.below, (x.v-1)*x.ranks
	if x.v > 1 {
		ahead = 2*x.below + again
	}
	round := x.fwd + x.bwd - x.downF - x.downB - f - b + x.head - head
	down, back := round+x.maxF.Times(again), round+x.maxB.Times(again)
	left := x.left(x.above, w)
	own := (f + b + w).Times(n) + head.Times(x.m)
	ends := x.downF - left + x.up
	if ahead >= n-1 {
		return ends + max(own, f+down+(b+w).Times(n), f.Times(n)+back+b+left)
	}
	between := w.Times(max(0, min(ahead, n-1-x.above)))
	start, end := max(0, down-f.Times(ahead)), max(0, back-b.Times(ahead)-between)
	if x.v > 1 && x.m > x.ranks {
		pairs, group := (x.last - head).Times(x.ranks), x.ranks*(x.v+1)
		start = max(start, x.fwd+x.maxF.Times(again)+pairs-f.Times(group)-b.Times(2*x.above+2))
		end = max(end, x.bwd+x.maxB.Times(again)+pairs-b.Times(group)-f.Times(2*x.above+2))
	}
	return ends + own + start + end
}

// turn returns the longest path of few micro-batches that turns back at the
// rank looked at: all m forward passes at the slowest rank that has nothing
// between them, then down, the backward passes that this rank has left at the
// slowest rank above, and up.
func (x *path) turn(f, b unit.Seconds) unit.Seconds {
	if x.below >= x.m-1 {
		x.ahead = max(x.ahead, f)
	}
	x.slow = max(x.slow, b)
	if x.v > 1 || x.m > x.ranks {
		return 0
	}
	return x.downF + f + x.ahead.Times(x.m-1) + x.slow.Times(min(x.below, x.m-1)) + b + x.downB + x.weight
}
