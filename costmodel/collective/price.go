package collective

import (
	"math"

	"planner/hardware"
	"planner/hardware/unit"
)

// Price is the cost of one call.
type Price struct {
	// Seconds is the time from the last rank's arrival to the call's end.
	Seconds unit.Seconds
	// Latency is the part of Seconds that does not shrink with a faster link.
	Latency unit.Seconds
	// Algorithm is what the library would choose.
	Algorithm Algorithm
	// LinkBytes is what the algorithm puts on the link that it crosses last:
	// per NIC share of a rank between domains, per rank inside one.
	LinkBytes unit.Bytes
}

// Time prices op with message m on the group s under the fastest algorithm
// that the library has for it. The price is monotone and continuous in m; a
// group of one costs nothing.
func (f *Fabric) Time(op Op, m unit.Bytes, s hardware.Span) Price {
	if s.Size < 2 {
		return Price{}
	}
	switch op {
	case AllReduce:
		return f.allReduce(m, s)
	case AllToAll, Gather, Scatter:
		if s.Domains > 1 {
			return f.With(Pairwise, op, m, s)
		}
		return f.With(Direct, op, m, s)
	case Send, Recv:
		return f.With(Direct, op, m, s)
	}
	best := f.With(Ring, op, m, s)
	if s.PerDomain == 1 && op != Broadcast && op != Reduce {
		return faster(best, f.With(PAT, op, m, s))
	}
	return best
}

// allReduce chooses among NCCL's algorithms for AllReduce: ring anywhere, NVLS
// where the switch reduces, trees between domains.
func (f *Fabric) allReduce(m unit.Bytes, s hardware.Span) Price {
	best := f.With(Ring, AllReduce, m, s)
	if s.Domains == 1 {
		if f.inner.switched > 0 {
			best = faster(best, f.With(NVLS, AllReduce, m, s))
		}
		return best
	}
	best = faster(best, f.With(Tree, AllReduce, m, s))
	if f.inner.switched > 0 && s.PerDomain > 1 {
		best = faster(best, f.With(NVLSTree, AllReduce, m, s))
	}
	return best
}

func faster(a, b Price) Price {
	if b.Seconds < a.Seconds {
		return b
	}
	return a
}

// With prices op under a given algorithm, whether or not the library would
// choose it. NVLS and NVLSTree on a link whose switch does not reduce take
// forever.
//
// The time is α + x + fill(x): α the steps of a small message, x the bytes over
// the reachable rate of the busier leg, and a fill that grows from nothing to
// D, the extra cost of a streaming step times the number of steps:
//
//	fill(x) = D·x/(x + Knee·D)
//
// It stands for the library's change from LL over LL128 to Simple, whose steps
// cost more and whose bytes cost less, without a step in the curve: the first
// bytes cost 1 + 1/Knee of what the last ones do.
func (f *Fabric) With(a Algorithm, op Op, m unit.Bytes, s hardware.Span) Price {
	if s.Size < 2 {
		return Price{}
	}
	n, k, g := float64(s.Size), float64(s.Domains), float64(s.PerDomain)
	l := loadOf(a, op, n, k, g)
	out := &f.inner
	if s.Domains > 1 {
		out = &f.outer[s.Tier]
	}
	alpha, depth := f.steps(&l, out)
	x := f.stream(&l, out, float64(m), g)
	fill := 0.0
	if x > 0 {
		fill = depth * x / (x + out.knee*depth)
	}
	p := Price{Seconds: unit.Seconds(alpha + x + fill), Latency: unit.Seconds(alpha + fill), Algorithm: a}
	p.LinkBytes = m.Times(l.link)
	if s.Domains > 1 {
		p.LinkBytes = m.Times(l.nic)
	}
	return p
}

// steps returns the time of a small message and what streaming adds to it.
func (f *Fabric) steps(l *load, out *leg) (alpha, depth float64) {
	in, p := &f.inner, &f.protocol
	hop, fill, tree := in.hop, in.fill, 1.0
	if l.reduced {
		hop, fill = in.switchStep, in.switchStep
	}
	if l.tree {
		tree = p.TreeFill
	}
	if l.spread {
		alpha = in.base + p.Pair*l.inner*hop
		depth = log2(l.inner+1) * fill
		if l.outer > 0 {
			alpha += out.base + p.Pair*l.outer*out.hop
			depth += log2(l.outer+1) * out.fill
		}
		return alpha, depth
	}
	alpha, depth = in.base+l.inner*hop, l.inner*fill
	if l.outer > 0 {
		alpha += out.base + l.outer*out.hop
		depth += l.outer * out.fill * tree
	}
	return alpha, depth
}

// stream returns the time of the bytes: both legs run at once and disturb each
// other when they are equally busy, hence the 4-norm in place of a maximum.
func (f *Fabric) stream(l *load, out *leg, m, g float64) float64 {
	in, net := f.inner.reach, out.reach
	switch {
	case l.single:
		in, net = f.inner.p2p, out.p2p
		if g > 4 {
			net *= f.protocol.Crowd
		}
	case l.spread:
		in, net = f.inner.pairs, out.pairs
	case l.reduced:
		in = f.inner.switched
	}
	if l.tree {
		net = out.tree
	}
	if l.pat {
		net *= patReach
	}
	a, b := 0.0, 0.0
	if l.link > 0 {
		a = m * l.link / in
	}
	if l.nic > 0 {
		b = m * l.nic / net
	}
	a, b = a*a, b*b
	return math.Sqrt(math.Sqrt(a*a + b*b))
}

// patReach is the share of a ring's rate that PAT reaches in NCCL 2.30.7's
// model (src/graph/tuning.cc).
const patReach = 0.75
