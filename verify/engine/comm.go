package engine

import (
	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Comm is one rank's end of a group. It serves one goroutine at a time.
type Comm struct {
	world    transport.World
	port     *transport.Port
	id       uint64
	splits   uint64
	node     int  // ranks per node; 0 when nodes are uneven or not adjacent
	open     bool // the members work in one another's buffers
	programs map[steps.Spec]steps.Program
	last     struct {
		spec    steps.Spec
		program steps.Program
	}
	scratch []byte
	block   []byte   // see partial
	ins     [][]byte // the members' buffers in a fused call
	outs    [][]byte
	tuning  Tuning
	stream  stream
}

// New returns this rank's communicator over all ranks of the job. Every rank
// calls it.
func New(w transport.World) (*Comm, error) {
	all := make([]int, w.Size())
	for i := range all {
		all[i] = i
	}
	return NewGroup(w, 1, all)
}

// NewGroup returns this rank's communicator over members, given by world
// rank, without communicating. All members name the group by the same id,
// which no other group of the job has; those below 16 are taken.
func NewGroup(w transport.World, id uint64, members []int) (*Comm, error) {
	p, err := w.Open(id, members)
	if err != nil {
		return nil, err
	}
	return newComm(w, p, id), nil
}

func newComm(w transport.World, p *transport.Port, id uint64) *Comm {
	open := p.Open()
	_, own := w.Core()
	return &Comm{world: w, port: p, id: id, node: perNode(w, p), open: open, programs: map[steps.Spec]steps.Program{},
		tuning: defaultTuning(p.Direct(), open, own)}
}

// perNode returns how many adjacent members share each node, 0 if that differs.
func perNode(w transport.World, p *transport.Port) int {
	per := 0
	for start := 0; start < p.Size(); {
		end := start
		for end < p.Size() && w.Node(p.World(end)) == w.Node(p.World(start)) {
			end++
		}
		if per != 0 && end-start != per {
			return 0
		}
		per, start = end-start, end
	}
	return per
}

// Rank returns this rank's place in the group, Size the number of members.
func (c *Comm) Rank() int { return c.port.Rank() }

// Size returns the number of members.
func (c *Comm) Size() int { return c.port.Size() }

// World returns the job that the group belongs to.
func (c *Comm) World() transport.World { return c.world }

// Port returns the group's links.
func (c *Comm) Port() *transport.Port { return c.port }

// Alloc returns zeroed memory that the other ranks can read directly where
// the transport allows. Calls on other memory work, but are copied once more.
func (c *Comm) Alloc(bytes int) ([]byte, error) { return c.world.Alloc(bytes) }

// Free gives back what Alloc returned.
func (c *Comm) Free(b []byte) { c.world.Free(b) }

// Close waits for the calls that were started and leaves the group.
func (c *Comm) Close() error {
	c.stream.stop()
	c.world.Free(c.scratch)
	c.scratch = nil
	return c.port.Close()
}

// AllReduce combines count elements of every rank's in into every rank's out.
func (c *Comm) AllReduce(out, in []byte, count int, t reduce.DType, op reduce.Op) error {
	return c.Do(Call{Op: collective.AllReduce, Type: t, Reduction: op, Count: count, In: in, Out: out})
}

// ReduceScatter combines count elements of every rank's in and leaves piece r
// in the out of rank r.
func (c *Comm) ReduceScatter(out, in []byte, count int, t reduce.DType, op reduce.Op) error {
	return c.Do(Call{Op: collective.ReduceScatter, Type: t, Reduction: op, Count: count, In: in, Out: out})
}

// AllGather joins the pieces of all ranks to count elements in every out.
func (c *Comm) AllGather(out, in []byte, count int, t reduce.DType) error {
	return c.Do(Call{Op: collective.AllGather, Type: t, Count: count, In: in, Out: out})
}

// AllToAll sends piece j of in, which has count elements, to rank j.
func (c *Comm) AllToAll(out, in []byte, count int, t reduce.DType) error {
	return c.Do(Call{Op: collective.AllToAll, Type: t, Count: count, In: in, Out: out})
}

// Broadcast copies root's in to every out.
func (c *Comm) Broadcast(out, in []byte, count int, t reduce.DType, root int) error {
	return c.Do(Call{Op: collective.Broadcast, Type: t, Root: root, Count: count, In: in, Out: out})
}

// Reduce combines every rank's in into root's out.
func (c *Comm) Reduce(out, in []byte, count int, t reduce.DType, op reduce.Op, root int) error {
	return c.Do(Call{Op: collective.Reduce, Type: t, Reduction: op, Root: root, Count: count, In: in, Out: out})
}

// Gather joins the pieces of all ranks to count elements in root's out.
func (c *Comm) Gather(out, in []byte, count int, t reduce.DType, root int) error {
	return c.Do(Call{Op: collective.Gather, Type: t, Root: root, Count: count, In: in, Out: out})
}

// Scatter sends piece r of root's in, which has count elements, to rank r.
func (c *Comm) Scatter(out, in []byte, count int, t reduce.DType, root int) error {
	return c.Do(Call{Op: collective.Scatter, Type: t, Root: root, Count: count, In: in, Out: out})
}

// Send sends count elements to a member, which receives them with Recv.
func (c *Comm) Send(in []byte, count int, t reduce.DType, to int) error {
	return c.Do(Call{Op: collective.Send, Type: t, Peer: to, Count: count, In: in})
}

// Recv receives count elements from a member.
func (c *Comm) Recv(out []byte, count int, t reduce.DType, from int) error {
	return c.Do(Call{Op: collective.Recv, Type: t, Peer: from, Count: count, Out: out})
}
