package collective

import (
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
	// LinkBytes is what the algorithm puts on the link of the outermost tier
	// that the group crosses: per rank's share of the NICs between domains, per
	// rank inside one.
	LinkBytes unit.Bytes
}

// Time prices op with message m on the group s under the fastest algorithm
// that the library has for it. The price is monotone and continuous in m; a
// group of one costs nothing.
func (f *Fabric) Time(op Op, m unit.Bytes, s hardware.Span) Price {
	if s.Size < 2 {
		return Price{}
	}
	p := f.place(&s)
	bytes := float64(m)
	switch op {
	case AllReduce:
		return f.allReduce(bytes, &p)
	case AllToAll, Gather, Scatter:
		if p.k > 1 {
			return f.price(Pairwise, op, bytes, &p)
		}
		return f.price(Direct, op, bytes, &p)
	case Send, Recv:
		return f.price(Direct, op, bytes, &p)
	case AllGather, ReduceScatter:
		ring := f.price(Ring, op, bytes, &p)
		if p.k > 1 && p.g == 1 {
			return faster(ring, f.price(PAT, op, bytes, &p))
		}
		return ring
	}
	return f.price(Ring, op, bytes, &p)
}

// allReduce chooses among NCCL's algorithms for AllReduce: ring anywhere, NVLS
// where the switch reduces, trees between domains.
func (f *Fabric) allReduce(m float64, p *place) Price {
	best := f.price(Ring, AllReduce, m, p)
	switched := p.in.switched > 0 && p.g > 1
	if p.k == 1 {
		if switched {
			best = faster(best, f.price(NVLS, AllReduce, m, p))
		}
		return best
	}
	best = faster(best, f.price(Tree, AllReduce, m, p))
	if switched {
		best = faster(best, f.price(NVLSTree, AllReduce, m, p))
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
// choose it. NVLS takes forever where the switch does not reduce.
func (f *Fabric) With(a Algorithm, op Op, m unit.Bytes, s hardware.Span) Price {
	if s.Size < 2 {
		return Price{}
	}
	p := f.place(&s)
	return f.price(a, op, float64(m), &p)
}

// price is the model: α + x + fill(x), where α is the time of a small message,
// x the bytes over the reachable rate of the busier leg, and the fill grows
// from nothing to D, what streaming adds to each step times the steps:
//
//	fill(x) = D·x/(x + Knee·D)
//
// It stands for the library's change from LL over LL128 to Simple, whose steps
// cost more and whose bytes cost less, without a step in the curve: the first
// bytes cost 1 + 1/Knee of what the last ones do.
func (f *Fabric) price(a Algorithm, op Op, m float64, p *place) Price {
	l := loadOf(a, op, p.n, p.k, p.g)
	alpha, depth := f.steps(&l, p)
	x := f.stream(&l, p, m)
	fill := 0.0
	if x > 0 {
		fill = depth * x / (x + p.out.knee*depth)
	}
	if p.out.meet > 0 {
		fill += p.meet(&l, m)
	}
	if p.out.fill == 0 {
		fill -= p.behind(&l, x)
	}
	bytes := l.link
	if p.k > 1 {
		bytes = l.nic
	}
	return Price{
		Seconds: unit.Seconds(alpha + x + fill), Latency: unit.Seconds(alpha + fill),
		Algorithm: a, LinkBytes: unit.Bytes(m * bytes),
	}
}
