package transport

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"planner/verify/cores"
)

// Local is a job whose ranks are goroutines of one process.
type Local struct {
	size   int
	cores  []int // of each rank
	own    bool  // no two share a core
	opts   Options
	abort  Abort
	shaper *shaper
	mu     sync.Mutex
	groups map[uint64]*localGroup
}

// localGroup is the shared memory of a group.
type localGroup struct {
	members []int
	lanes   []localLane // [from·n + to]
	parkers []*chanParker
	bells   []bell
	left    int // members that have closed
}

type localLane struct {
	mem   laneMem
	views [slots][]byte
}

// NewLocal returns a job of size ranks.
func NewLocal(size int, o Options) (*Local, error) {
	if size < 1 {
		return nil, fmt.Errorf("ranks %d: too small: want at least 1", size)
	}
	l := &Local{size: size, opts: o, groups: map[uint64]*localGroup{}}
	l.cores, l.own = cores.Share(slices.Repeat([]cores.Set{cores.Own()}, size))
	if o.Shape != nil {
		if err := o.Shape.Validate(size); err != nil {
			return nil, err
		}
		l.shaper = &shaper{o.Shape, new(ports)}
	}
	return l, nil
}

// World returns the view of one rank.
func (l *Local) World(rank int) World { return localWorld{l, rank} }

type localWorld struct {
	*Local
	rank int
}

func (w localWorld) Rank() int         { return w.rank }
func (w localWorld) Size() int         { return w.size }
func (w localWorld) Node(rank int) int { return w.opts.Shape.node(rank) }
func (w localWorld) Emulated() bool    { return w.opts.Shape.slows() }
func (w localWorld) Abort() *Abort     { return &w.abort }
func (w localWorld) Close() error      { return nil }
func (w localWorld) Free([]byte)       {}

// Core leaves goroutines that share cores to Go, which switches between them
// faster than the kernel between threads.
func (w localWorld) Core() (core int, own bool) {
	if !w.own {
		return -1, false
	}
	return w.cores[w.rank], true
}

func (w localWorld) Alloc(n int) ([]byte, error) { return make([]byte, n), nil }

func (w localWorld) Open(id uint64, members []int) (*Port, error) {
	return w.open(id, members, w.shaper)
}

func (w localWorld) open(id uint64, members []int, s *shaper) (*Port, error) {
	p, err := newPort(w, w.opts, members)
	if err != nil {
		return nil, err
	}
	g := w.join(id, members)
	p.park = g.parkers[p.rank]
	p.spin, p.yield = spinFor(w.own), runtime.Gosched
	n := len(members)
	for i, m := range members {
		out, in := &g.lanes[p.rank*n+i], &g.lanes[i*n+p.rank]
		p.bells[i] = &g.bells[i]
		p.links[i] = &memLink{out: &out.mem, outViews: &out.views, in: &in.mem, inViews: &in.views,
			peer: g.parkers[i], path: s.path(w.rank, m)}
	}
	p.release = func() { w.leave(id) }
	return p, nil
}

func (l *Local) join(id uint64, members []int) *localGroup {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.groups[id]
	if g == nil {
		n := len(members)
		g = &localGroup{members: members, lanes: make([]localLane, n*n), bells: make([]bell, n)}
		for range n {
			g.parkers = append(g.parkers, newChanParker())
		}
		l.groups[id] = g
	}
	return g
}

// leave forgets a group when its last member has left.
func (l *Local) leave(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.groups[id]
	if g.left++; g.left == len(g.members) {
		delete(l.groups, id)
	}
}
