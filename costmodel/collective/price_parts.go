package collective

import "math"

// steps returns the time of a small message and what streaming adds to it. A
// ring that leaves its domain passes n−1 messages over each crossing: a step
// inside takes no less than the network's time for one (LogGP's gap; NCCL
// 2.30.7, src/graph/tuning.cc, calls it netOverhead).
func (f *Fabric) steps(l *load, p *place) (alpha, depth float64) {
	in, out := p.in, p.out
	if l.spread {
		return f.peers(l, p)
	}
	hop, fill := in.hop, in.fill
	switch {
	case l.reduced:
		hop, fill = in.switchStep, in.switchStep
	case l.outer > 0 && !l.tree:
		hop, fill = math.Max(hop, out.gap*out.hop), math.Max(fill, out.gap*out.fill)
	}
	alpha, depth = in.base+l.inner*hop, l.inner*fill
	if l.outer > 0 {
		far := out.fill
		if l.tree {
			far *= f.protocol.TreeFill
		}
		alpha += out.base + l.outer*out.hop
		depth += l.outer * far
	}
	return alpha, depth
}

// meet returns what the steps between domains cost more because their messages
// are large: sender and receiver agree on each before it moves. The change is
// drawn out over a factor of two in size, so that no price jumps.
func (p *place) meet(l *load, m float64) float64 {
	if l.outer == 0 || l.spread {
		return 0
	}
	steps := l.outer + l.inner
	return steps * p.out.meet * beyond(l.message*m/rendezvousBytes)
}

// behind returns how much latency of a ring's crossings hides behind its bytes,
// where steps cost no more than stated: between two crossings of a chunk each
// link between domains has g chunks to send, so that the ring takes
//
//	max(x + hop, cross·(x/hops + hop))
//
// Fitted constants hold it already.
func (p *place) behind(l *load, x float64) float64 {
	hops := l.outer + l.inner
	if l.spread || l.tree || l.outer < 2 {
		return 0
	}
	return math.Min((l.outer-1)*p.out.hop, x*(1-l.outer/hops))
}

func beyond(z float64) float64 {
	z *= z
	z *= z
	return z / (1 + z)
}

// peers is steps where all pairs exchange: every peer has to be posted, and
// their streams fill together.
func (f *Fabric) peers(l *load, p *place) (alpha, depth float64) {
	alpha = p.in.base + p.in.pair*l.inner*p.in.hop
	depth = log2(l.inner+1) * p.in.fill
	if l.outer > 0 {
		alpha += p.out.base + p.out.pair*l.outer*p.out.hop
		depth += log2(l.outer+1) * p.out.fill
	}
	return alpha, depth
}

// stream returns the time of the bytes: both legs run at once and disturb each
// other when they are equally busy, hence the 4-norm in place of a maximum.
func (f *Fabric) stream(l *load, p *place, m float64) float64 {
	a, b := 0.0, 0.0
	if l.link > 0 {
		a = p.inside(l, m)
	}
	if l.nic > 0 {
		b = m * l.nic / f.outside(l, p)
	}
	a, b = a*a, b*b
	return math.Sqrt(math.Sqrt(a*a + b*b))
}

// inside returns the time of m on the inner leg.
func (p *place) inside(l *load, m float64) float64 {
	rate := p.in.reach
	switch {
	case l.single:
		rate = p.in.send(p.n, m)
	case l.spread:
		rate = p.in.pairs
	case l.reduced:
		rate = p.in.switched
	}
	if peer := p.in.peer; peer > 0 {
		peers := p.g - 1
		if l.single {
			peers = 1
		}
		rate *= math.Min(1, peers*peer)
	}
	t := m * l.link / rate
	if p.across {
		t = math.Max(t, m*p.halves(l)*p.groups/p.in.shared)
	}
	return t
}

// send returns the rate of a Send inside a domain: that of its channels, which
// a communicator of n ranks shares out among its peers until messages are so
// large that each gets more.
func (g *leg) send(n, m float64) float64 {
	if g.lane == 0 {
		return g.p2p
	}
	return math.Min(g.p2p, g.lane*math.Max(sendChannels/n, m/laneBytes))
}

// halves returns the bytes, per byte of M, that a group sends from one half of
// a domain to the other: a ring's once round, a quarter of all pairs' each way.
func (p *place) halves(l *load) float64 {
	if l.spread {
		return p.g * p.g / (4 * p.n)
	}
	return l.link
}

// outside returns the rate of a rank's share of the outer leg.
func (f *Fabric) outside(l *load, p *place) float64 {
	switch {
	case l.single:
		rate := p.out.p2p * f.lone(p)
		if p.g > crowd {
			rate *= p.out.crowd
		}
		return rate
	case l.spread:
		return p.out.pairs
	case l.tree:
		return p.out.tree
	case l.pat:
		return p.out.reach * patReach
	}
	return p.out.reach
}

// lone returns the shares of a domain's NICs that a rank has which sends out of
// it: more than one where ranks share NICs and only some send.
func (f *Fabric) lone(p *place) float64 {
	return math.Max(1, math.Min(p.out.ports, float64(f.ranks)/p.groups))
}

const (
	// patReach is the share of a ring's rate that PAT reaches in NCCL 2.30.7's
	// model (src/graph/tuning.cc).
	patReach = 0.75
	// sendChannels is the channels of point-to-point calls in one communicator
	// of NVSwitch nodes, laneBytes the bytes from which a Send takes another:
	// sendrecv on 4 and 8 H100 runs at 8 and 4 times 20 GB/s up to 64 MiB, at 8
	// times with 128 MiB, at 16 times with 256 (nccl-tests,
	// github.com/xxrjun/nccl-tests-cluster; NCCL logs name 32 p2p channels).
	sendChannels = 32
	laneBytes    = 16 << 20
	// rendezvousBytes is the message from which Slingshot's libfabric provider
	// meets the receiver first (FI_CXI_RDZV_THRESHOLD of 16 KiB, fi_cxi(7), half
	// of it flags in NCCL's LL): all-gathers on 8 and 32 A100 of Polaris take 9 µs
	// a step up to 4 KiB, 17 at 8 KiB, 31 from 16 KiB
	// (github.com/argonne-lcf/alcf-nccl-tests).
	rendezvousBytes = 8 << 10
	// crowd is the group's ranks in a domain above which a Send across leaves
	// its own NIC: 25 of 50 GB/s with 1 and 2 H100 per node, 15 with 8
	// (nccl-tests sendrecv, github.com/xxrjun/nccl-tests-cluster).
	crowd = 4
)
