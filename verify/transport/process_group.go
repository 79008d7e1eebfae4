package transport

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// groupMem is what a member keeps for a group in its segment.
type groupMem struct {
	bell bell
	left atomic.Uint32 // members that have closed their port
	_    [60]byte
	// Lanes follow, one from each member.
}

const groupHead = unsafe.Sizeof(groupMem{})

func (g *groupMem) lane(from int) *laneMem {
	return (*laneMem)(unsafe.Add(unsafe.Pointer(g), groupHead+uintptr(from)*unsafe.Sizeof(laneMem{})))
}

// Open opens this rank's port of a group.
func (w *Process) Open(id uint64, members []int) (*Port, error) {
	return w.open(id, members, w.shaper)
}

func (w *Process) open(id uint64, members []int, s *shaper) (*Port, error) {
	p, err := newPort(w, w.opts, members)
	if err != nil {
		return nil, err
	}
	if w.stall != nil {
		p.onStall = func(h History) { h.Group = id; w.stall(h) }
	}
	p.spin, p.stopped = spinFor(w.ownCore), w.Stopped
	p.park = newChanParker()
	if w.segment != nil {
		if err := w.openShared(p, id, s); err != nil {
			return nil, err
		}
	}
	for i, m := range p.members {
		if p.links[i] == nil {
			p.links[i] = w.socks.link(id, w.rank, m, w.peers[m], s.path(w.rank, m))
		}
	}
	return p, nil
}

// openShared publishes this rank's lanes of the group and finds its peers'.
func (w *Process) openShared(p *Port, id uint64, s *shaper) error {
	n := len(p.members)
	room, err := w.segment.Alloc(int(groupHead + uintptr(n)*unsafe.Sizeof(laneMem{})))
	if err != nil {
		return err
	}
	mine := (*groupMem)(unsafe.Pointer(&room[0]))
	off, _ := w.segment.offset(room)
	entry, err := publish(header(w.segment.mem), id, off)
	if err != nil {
		return err
	}
	groups := make([]*groupMem, n)
	groups[p.rank] = mine
	p.bells[p.rank] = &mine.bell
	p.park = bellParker(&mine.bell)
	// A rank may send to itself.
	p.links[p.rank] = &memLink{out: mine.lane(p.rank), in: mine.lane(p.rank), segment: w.segment,
		peerBase: w.segment.mem, peer: p.park}
	p.startAside("opening a group")
	for i, m := range p.members {
		if i == p.rank || !w.shares(m) {
			continue
		}
		if groups[i], err = w.join(p, id, i, mine, s); err != nil {
			return err
		}
	}
	p.release = func() { w.leaveShared(p, groups, room, entry) }
	return nil
}

// join finds a member's part of a group and links this rank's to it.
func (w *Process) join(p *Port, id uint64, i int, mine *groupMem, s *shaper) (*groupMem, error) {
	m := p.members[i]
	mem, err := w.mapped(m)
	if err != nil {
		return nil, err
	}
	g, err := find(p, mem, id, i)
	if err != nil {
		return nil, err
	}
	p.bells[i] = &g.bell
	p.links[i] = &memLink{out: g.lane(p.rank), in: mine.lane(i), segment: w.segment,
		peerBase: mem, peer: bellParker(&g.bell), path: s.path(w.rank, m)}
	return g, nil
}

// publish writes where this rank keeps a group.
func publish(h *segmentHeader, id, off uint64) (*groupEntry, error) {
	for i := range h.groups {
		if e := &h.groups[i]; e.offset.Load() == 0 && e.offset.CompareAndSwap(0, off) {
			e.id.Store(id)
			return e, nil
		}
	}
	return nil, fmt.Errorf("groups: more than %d open at once", groupSlots)
}

// find waits until a member has published its part of a group.
func find(p *Port, mem []byte, id uint64, member int) (*groupMem, error) {
	h := header(mem)
	for {
		for i := range h.groups {
			if h.groups[i].id.Load() == id {
				return (*groupMem)(unsafe.Pointer(&mem[h.groups[i].offset.Load()])), nil
			}
		}
		if err := p.ended(); err != nil {
			return nil, err
		}
		if now() > p.due() {
			return nil, p.timedOut(member, "it did not come")
		}
		time.Sleep(100 * time.Microsecond) // opening is rare; nobody rings for it
	}
}

// leaveShared tells the members that this rank will not touch their memory
// again, waits until they have all said so, and frees its own part. After a
// failure the memory goes with the process.
func (w *Process) leaveShared(p *Port, groups []*groupMem, room []byte, entry *groupEntry) {
	want := uint32(0)
	for i, g := range groups {
		if g != nil && i != p.rank {
			g.left.Add(1)
			p.links[i].(*memLink).peer.wake()
			want++
		}
	}
	p.startAside("closing a group")
	mine := groups[p.rank]
	if p.await(-1, "not all ranks left the group", func() bool { return mine.left.Load() == want }) != nil {
		return
	}
	entry.id.Store(0)
	entry.offset.Store(0)
	w.segment.Free(room)
}
