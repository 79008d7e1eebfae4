package steps

import (
	"fmt"
	"slices"

	"planner/costmodel/collective"
)

// Build returns the program of rank for s. It is a pure function of its
// arguments, so every rank can build its own. Pieces without elements make no
// steps. It fails when s is not a valid call or Alg does not serve Op.
func Build(s Spec, rank int) (Program, error) {
	if err := s.validate(rank); err != nil {
		return nil, err
	}
	b := &builder{Spec: s, rank: rank}
	writers[s.Op][s.Alg](b)
	slices.SortStableFunc(b.prog, order)
	return b.prog, nil
}

// order puts rounds in order and the sends of a round before its other steps.
func order(x, y Step) int {
	if d := x.Round - y.Round; d != 0 {
		return d
	}
	return min(int(x.Kind), 1) - min(int(y.Kind), 1)
}

// BuildAll returns the programs of all ranks of s.
func BuildAll(s Spec) ([]Program, error) {
	if err := s.validate(0); err != nil {
		return nil, err
	}
	all := make([]Program, s.Ranks)
	for r := range all {
		p, err := Build(s, r)
		if err != nil {
			return nil, err
		}
		all[r] = p
	}
	return all, nil
}

func (s Spec) validate(rank int) error {
	bad := func(what string, got int, want string) error {
		return fmt.Errorf("%s %d: out of range: want %s", what, got, want)
	}
	switch {
	case s.Op >= collective.NumOps:
		return bad("operation", int(s.Op), fmt.Sprintf("below %d", collective.NumOps))
	case !slices.Contains(served[s.Op], s.Alg):
		return fmt.Errorf("algorithm %v: does not serve %v: want one of %v", s.Alg, s.Op, served[s.Op])
	case s.Ranks < 1:
		return bad("ranks", s.Ranks, "at least 1")
	case rank < 0 || rank >= s.Ranks:
		return bad("rank", rank, fmt.Sprintf("0 to %d", s.Ranks-1))
	case s.Root < 0 || s.Root >= s.Ranks:
		return bad("root", s.Root, fmt.Sprintf("0 to %d", s.Ranks-1))
	case s.Dest < 0 || s.Dest >= s.Ranks:
		return bad("destination", s.Dest, fmt.Sprintf("0 to %d", s.Ranks-1))
	case s.Count < 0:
		return bad("count", s.Count, "at least 0")
	case s.Chunk < 0:
		return bad("chunk", s.Chunk, "at least 0")
	case s.Alg == Hierarchical && (s.Node < 1 || s.Ranks%s.Node != 0):
		return bad("ranks per node", s.Node, fmt.Sprintf("a divisor of %d", s.Ranks))
	}
	return nil
}

// builder collects the steps of one rank. round is the round that the next
// steps belong to.
type builder struct {
	Spec
	rank, round int
	prog        Program
}

func (b *builder) add(k Kind, peer int, src, dst Ref) {
	if max(src.Len, dst.Len) > 0 {
		b.prog = append(b.prog, Step{Kind: k, Peer: peer, Round: b.round, Src: src, Dst: dst})
	}
}

func (b *builder) send(peer int, src Ref)            { b.add(Send, peer, src, Ref{}) }
func (b *builder) recv(peer int, dst Ref)            { b.add(Recv, peer, Ref{}, dst) }
func (b *builder) recvReduce(peer int, src, dst Ref) { b.add(RecvReduce, peer, src, dst) }
func (b *builder) copy(src, dst Ref)                 { b.add(Copy, -1, src, dst) }
func (b *builder) reduce(src, dst Ref)               { b.add(Reduce, -1, src, dst) }

// all returns the whole of M in buf.
func (b *builder) all(buf Buf) Ref { return Ref{buf, 0, b.Count} }

// piece returns piece i of M in buf, i taken modulo the number of ranks.
func (b *builder) piece(buf Buf, i int) Ref {
	off, n := Cut(b.Count, b.Ranks, mod(i, b.Ranks))
	return Ref{buf, off, n}
}

// mine returns the rank's own piece in a buffer that holds nothing else.
func (b *builder) mine(buf Buf) Ref { return Ref{buf, 0, b.piece(buf, b.rank).Len} }

func mod(i, n int) int { return ((i % n) + n) % n }

// writers holds the function that writes each algorithm's steps.
var writers = [collective.NumOps][numAlgorithms]func(*builder){
	collective.AllReduce: {
		Naive: naive, Ring: ringAllReduce, Tree: tree, DoubleTree: doubleTree, Recursive: recursiveAllReduce,
		OneShot: oneShot, TwoShot: twoShot, Hierarchical: hierarchical,
	},
	collective.ReduceScatter: {
		Direct: func(b *builder) { b.directReduceScatter(b.mine(Output)) },
		Ring:   ringReduceScatter, Recursive: recursiveReduceScatter, Bruck: bruckReduceScatter,
	},
	collective.AllGather: {
		Direct: directAllGather, Ring: ringAllGather, Recursive: recursiveAllGather, Bruck: bruckAllGather,
	},
	collective.AllToAll: {Direct: directAllToAll, Pairwise: pairwise, Bruck: bruckAllToAll},
	collective.Broadcast: {
		Flat: flatBroadcast, Binomial: binomialBroadcast, Chain: chain, ScatterAllGather: scatterAllGather,
	},
	collective.Reduce:  {Direct: directReduce, Binomial: binomialReduce},
	collective.Gather:  {Direct: directGather, Binomial: binomialGather},
	collective.Scatter: {Direct: directScatter, Binomial: binomialScatter},
	collective.Send:    {Direct: sendRecv},
	collective.Recv:    {Direct: sendRecv},
}

func sendRecv(b *builder) {
	src, dst := b.all(Input), b.all(Output)
	switch {
	case b.Root == b.Dest && b.rank == b.Root:
		b.copy(src, dst)
	case b.rank == b.Root:
		b.send(b.Dest, src)
	case b.rank == b.Dest:
		b.recv(b.Root, dst)
	}
}
