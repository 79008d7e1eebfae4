package collective

import (
	"math"
	"math/bits"
)

// Algorithm is how a library carries out a call.
type Algorithm uint8

// The algorithms that a price can be for. The names follow NCCL where it has
// the algorithm (src/graph/tuning.cc at 2.30.7).
const (
	Ring         Algorithm = iota // neighbour to neighbour, every rank in turn
	Tree                          // double binary tree over domains, a chain inside
	NVLS                          // reduction inside the NVLink switch
	NVLSTree                      // NVLS inside a domain, a tree between domains
	Hierarchical                  // reduce-scatter inside, all-reduce between, all-gather inside
	Direct                        // every pair at once inside one domain, or one hop
	Pairwise                      // every pair, each rank through its own NIC
	PAT                           // parallel aggregated trees, one rank per domain
	numAlgorithms
)

var algorithmNames = [numAlgorithms]string{
	"ring", "tree", "nvls", "nvls_tree", "hierarchical", "direct", "pairwise", "pat",
}

// String returns the snake_case name used in every output.
func (a Algorithm) String() string { return algorithmNames[a] }

// load is what one algorithm asks of the two legs of a group, per byte of M.
type load struct {
	inner, outer float64 // sequential steps inside a domain and between domains
	link         float64 // bytes on a rank's own link of the innermost tier
	nic          float64 // bytes on a rank's share of the outer link
	message      float64 // bytes of one step between domains
	reduced      bool    // the switch reduces: link goes at its rate
	spread       bool    // every pair exchanges: links reach a smaller share
	single       bool    // one peer at a time: links reach the Send/Recv share
	tree         bool    // streams through a tree
	pat          bool    // PAT's aggregation slows the outer leg
}

// loadOf returns the load of op under a on a group of n = k·g ranks, g in each
// of k domains. The byte counts are those of the classical algorithms
// (Patarasuk & Yuan 2009 for the ring; Sanders, Speck, Träff 2009 for the two
// trees) and, for NVLS, NCCL's own count of M + M/g per rank (sym_kernels.cc,
// RSxLDMC_AGxSTMC).
func loadOf(a Algorithm, op Op, n, k, g float64) load {
	share := (n - 1) / n
	switch a {
	case Tree:
		l := load{inner: 2 * (g - 1), outer: 2 * log2(k), link: 2, nic: treeEgress(k) / g, message: treeMessage, tree: true}
		if g == 1 {
			l.link = 0
		}
		return l
	case NVLS:
		return load{inner: 1, link: 1 + 1/n, reduced: true}
	case NVLSTree:
		return load{inner: 1, outer: 2 * log2(k), link: 1 + 1/g, nic: treeEgress(k) / g, message: treeMessage, reduced: true, tree: true}
	case Hierarchical:
		return load{inner: 2 * (g - 1), outer: 2 * (k - 1), link: 2 * (g - 1) / g, nic: 2 * (k - 1) / (k * g)}
	case PAT:
		return load{outer: log2(n) + n*patRank, nic: share, pat: true}
	case Direct, Pairwise:
		return pairs(op, n, k, g)
	}
	return ringLoad(op, n, k, g)
}

// treeMessage is the part of M in one step of a tree: two trees of eight
// channels.
const treeMessage = 1.0 / 16

// patRank is the serial work of PAT per rank in steps of its outer leg: 2.8 of
// 14 µs in NCCL 2.30.7's model (src/graph/tuning.cc).
const patRank = 2.8 / 14

// treeEgress is what the NICs of one domain send per byte of M in a double
// binary tree: M between two domains, 2M among more, where a domain is inner
// node of one tree and leaf of the other.
func treeEgress(k float64) float64 {
	switch {
	case k < 2:
		return 0
	case k == 2:
		return 1
	}
	return 2
}

// ringLoad is the load of rings that enter and leave every domain once: of the
// hops of a chunk on its way round every g-th crosses, as NCCL 2.30.7 counts
// them (src/graph/tuning.cc, nInterSteps).
func ringLoad(op Op, n, k, g float64) load {
	hops, bytes := n-1, (n-1)/n
	switch op {
	case AllReduce:
		hops, bytes = 2*hops, 2*bytes
	case Broadcast, Reduce:
		bytes = 1
	}
	switch {
	case k == 1:
		return load{inner: hops, link: bytes}
	case g == 1:
		return load{outer: hops, nic: bytes, message: 1 / n}
	}
	cross := math.Ceil(hops / g)
	return load{inner: hops - cross, outer: cross, link: bytes, nic: bytes / g, message: 1 / n}
}

// pairs is the load of calls made of Send and Recv: AllToAll, the rooted
// Gather and Scatter, where the root's links are the busy ones, and a single
// Send or Recv.
func pairs(op Op, n, k, g float64) load {
	if op == Send || op == Recv {
		if k > 1 {
			return load{outer: 1, nic: 1, message: 1, single: true}
		}
		return load{inner: 1, link: 1, single: true}
	}
	return load{inner: g - 1, outer: n - g, link: (g - 1) / n, nic: (n - g) / n, spread: true}
}

// log2 returns the levels of a binary tree over k domains, ⌈log₂ k⌉.
func log2(k float64) float64 {
	if k < 2 {
		return 0
	}
	return float64(bits.Len(uint(k - 1)))
}
