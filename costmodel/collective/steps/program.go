package steps

import "planner/costmodel/collective"

// Kind says what a step does.
type Kind uint8

// The kinds of step. "op" is the reduction of the call.
const (
	Send       Kind = iota // Src goes to Peer
	Recv                   // Dst = message from Peer
	RecvReduce             // Dst = Src op message from Peer
	Copy                   // Dst = Src
	Reduce                 // Dst = Dst op Src
)

var kindNames = [...]string{"send", "recv", "recv-reduce", "copy", "reduce"}

// String returns the lower-case name used in messages.
func (k Kind) String() string { return kindNames[k] }

// Buf names one of a rank's three buffers.
type Buf uint8

// The buffers of a rank. Input is never written.
const (
	Input Buf = iota
	Output
	Scratch
	NumBufs
)

var bufNames = [NumBufs]string{"input", "output", "scratch"}

// String returns the lower-case name used in messages.
func (b Buf) String() string { return bufNames[b] }

// Ref is Len elements of a buffer from element Off.
type Ref struct {
	Buf      Buf
	Off, Len int
}

// Step is one action of one rank.
type Step struct {
	Kind  Kind
	Peer  int // the other rank; -1 for Copy and Reduce
	Round int
	Src   Ref // Send, RecvReduce, Copy, Reduce
	Dst   Ref // Recv, RecvReduce, Copy, Reduce
}

// Len returns the elements that the step moves.
func (s Step) Len() int {
	if s.Kind == Send {
		return s.Src.Len
	}
	return s.Dst.Len
}

// Program is what one rank does in one call, ordered by Round.
type Program []Step

// ScratchLen returns the elements of Scratch that the program uses.
func (p Program) ScratchLen() int {
	n := 0
	for _, s := range p {
		for _, r := range [2]Ref{s.Src, s.Dst} {
			if r.Buf == Scratch {
				n = max(n, r.Off+r.Len)
			}
		}
	}
	return n
}

// Spec describes one call for all its ranks.
type Spec struct {
	Op    collective.Op
	Alg   Algorithm
	Ranks int // group size, at least 1
	Root  int // Broadcast, Reduce, Gather, Scatter; the sender of Send and Recv
	Dest  int // the receiver of Send and Recv
	Count int // elements of M, as package collective defines M
	Chunk int // elements per pipelined piece of ring, tree, chain and hierarchical; 0 does not cut
	Node  int // ranks per node of Hierarchical, a divisor of Ranks; ranks of a node are adjacent
}

// Cut returns where piece i of parts lies in count elements: pieces differ by
// at most one element and cover count without gaps.
func Cut(count, parts, i int) (off, n int) {
	off = i * count / parts
	return off, (i+1)*count/parts - off
}

// Lens returns the elements of the input and output buffers of rank; a buffer
// that the rank does not use has none. In AllToAll piece j of every input
// goes to rank j, so rank r receives Ranks pieces as long as piece r.
func Lens(s Spec, rank int) (in, out int) {
	_, mine := Cut(s.Count, s.Ranks, rank)
	switch s.Op {
	case collective.ReduceScatter:
		return s.Count, mine
	case collective.AllGather:
		return mine, s.Count
	case collective.AllToAll:
		return s.Count, mine * s.Ranks
	case collective.Broadcast:
		return only(rank == s.Root, s.Count), s.Count
	case collective.Reduce:
		return s.Count, only(rank == s.Root, s.Count)
	case collective.Gather:
		return mine, only(rank == s.Root, s.Count)
	case collective.Scatter:
		return only(rank == s.Root, s.Count), mine
	case collective.Send, collective.Recv:
		return only(rank == s.Root, s.Count), only(rank == s.Dest, s.Count)
	}
	return s.Count, s.Count
}

// only is n where when holds, else 0.
func only(when bool, n int) int {
	if when {
		return n
	}
	return 0
}
