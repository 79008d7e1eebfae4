package steps

import (
	"slices"

	"planner/costmodel/collective"
)

// Algorithm is a way to carry out a collective.
type Algorithm uint8

// The algorithms. Which operations each serves is in [Algorithms].
const (
	Direct           Algorithm = iota // every pair exchanges at once
	Naive                             // reduce to rank 0, then broadcast from it
	Ring                              // neighbours only
	Tree                              // pipelined binary tree, up then down
	DoubleTree                        // two complementary trees, half the data each
	Recursive                         // recursive halving and/or doubling, any number of ranks
	OneShot                           // every rank reads every input and reduces all of it
	TwoShot                           // direct reduce-scatter, then direct all-gather
	Hierarchical                      // reduce-scatter in the node, all-reduce across, all-gather in the node
	Bruck                             // ceil(lg n) rounds of doubling distance
	Flat                              // the root sends to everyone
	Binomial                          // binomial tree
	Chain                             // pipelined chain
	ScatterAllGather                  // binomial scatter, then ring all-gather
	Pairwise                          // one partner per round
	numAlgorithms
)

var algNames = [numAlgorithms]string{
	"direct", "naive", "ring", "tree", "double-tree", "recursive", "one-shot", "two-shot",
	"hierarchical", "bruck", "flat", "binomial", "chain", "scatter-allgather", "pairwise",
}

// String returns the name used in every output and flag.
func (a Algorithm) String() string { return algNames[a] }

// ParseAlgorithm reads a name that String prints.
func ParseAlgorithm(s string) (Algorithm, bool) {
	i := slices.Index(algNames[:], s)
	return Algorithm(max(i, 0)), i >= 0
}

var served = [collective.NumOps][]Algorithm{
	collective.AllReduce:     {Ring, Naive, Tree, DoubleTree, Recursive, OneShot, TwoShot, Hierarchical},
	collective.ReduceScatter: {Ring, Recursive, Direct, Bruck},
	collective.AllGather:     {Ring, Recursive, Direct, Bruck},
	collective.AllToAll:      {Direct, Pairwise, Bruck},
	collective.Broadcast:     {Binomial, Flat, Chain, ScatterAllGather},
	collective.Reduce:        {Binomial, Direct},
	collective.Gather:        {Direct, Binomial},
	collective.Scatter:       {Direct, Binomial},
	collective.Send:          {Direct},
	collective.Recv:          {Direct},
}

// Algorithms returns the algorithms that serve op. The caller must not change
// the slice.
func Algorithms(op collective.Op) []Algorithm { return served[op] }

// InPlace reports whether s may run in place: input and output one buffer,
// laid as nccl-tests lays it (the shorter one is the rank's piece of the
// longer). AllToAll needs even pieces and an algorithm that holds its
// messages back, which is Bruck's.
func InPlace(s Spec) bool {
	return s.Op != collective.AllToAll || s.Alg == Bruck && s.Count%s.Ranks == 0
}
