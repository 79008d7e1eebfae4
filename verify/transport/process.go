package transport

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Process is a rank of a job whose ranks are processes.
type Process struct {
	rank    int
	kind    Kind
	opts    Options
	peers   []Peer
	nodes   []int
	abort   Abort
	segment *Segment
	socks   *sockets
	shaper  *shaper
	mu      sync.Mutex
	maps    map[int][]byte // segments of peers, by rank
	stall   func(History)
}

// Seat is a process that has prepared to be reached but does not know its
// peers yet.
type Seat struct {
	kind    Kind
	segment *Segment
	socks   *sockets
	Peer    Peer
}

// NewSeat prepares a process for a job: it makes its shared memory and
// listens, as kind asks. host is the address that TCP peers dial; shmDir holds
// the segment's unnamed file, or is empty for anonymous memory.
func NewSeat(kind Kind, host, shmDir string) (*Seat, error) {
	s := &Seat{kind: kind, Peer: Peer{FD: -1}}
	s.Peer.Host, s.Peer.PID = hostIdentity()
	var err error
	if kind == Shm || kind == Mixed {
		if s.segment, err = NewSegment(shmDir); err != nil {
			return nil, err
		}
		s.Peer.FD = s.segment.fd
	}
	if kind != Shm {
		if s.socks, err = listen(kind, host); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if kind == Unix {
			s.Peer.Unix = s.socks.address()
		} else {
			s.Peer.TCP = s.socks.address()
		}
	}
	return s, nil
}

// Close gives up a seat that was not taken.
func (s *Seat) Close() error {
	var errs []error
	if s.segment != nil {
		errs = append(errs, s.segment.Close())
	}
	if s.socks != nil {
		errs = append(errs, s.socks.close())
	}
	return errors.Join(errs...)
}

// Take returns the world of a seat whose peers are known. Connections must
// prove to know key, which is the job's. The seat belongs to the world, also
// when Take fails.
func (s *Seat) Take(rank int, peers []Peer, key []byte, o Options) (*Process, error) {
	if s.socks != nil {
		s.socks.unlock(key)
	}
	w := &Process{rank: rank, kind: s.kind, opts: o, peers: peers,
		segment: s.segment, socks: s.socks, maps: map[int][]byte{}}
	if err := w.place(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// place finds the node of every rank and sets up emulated links.
func (w *Process) place() error {
	w.nodes = make([]int, len(w.peers))
	hosts := map[string]int{}
	for i, p := range w.peers {
		if _, ok := hosts[p.Host]; !ok {
			hosts[p.Host] = len(hosts)
		}
		w.nodes[i] = hosts[p.Host]
	}
	if w.kind == Shm && len(hosts) > 1 {
		return fmt.Errorf("transport shm: the ranks are on %d hosts: want one, or mixed", len(hosts))
	}
	s := w.opts.Shape
	if s == nil {
		return nil
	}
	if err := s.Validate(len(w.peers)); err != nil {
		return err
	}
	if len(hosts) > 1 || w.segment == nil {
		return errors.New("emulated links: need ranks of one host and shared memory: want transport shm, mixed or goroutine")
	}
	for i := range w.nodes {
		w.nodes[i] = s.node(i)
	}
	first, err := w.mapped(0)
	if err != nil {
		return err
	}
	w.shaper = &shaper{s, &header(first).ports}
	return nil
}

// Rank returns this rank's number.
func (w *Process) Rank() int { return w.rank }

// Size returns the number of ranks.
func (w *Process) Size() int { return len(w.peers) }

// Node returns the node on which a rank runs, or is said to run by the shape.
func (w *Process) Node(rank int) int { return w.nodes[rank] }

// Abort returns the job's failure state.
func (w *Process) Abort() *Abort { return &w.abort }

// OnStall has f told of waits that take long, so that a monitor can compare
// what the ranks do. It applies to groups opened afterwards.
func (w *Process) OnStall(f func(History)) { w.stall = f }

// Alloc returns memory of the segment, or of the heap without one.
func (w *Process) Alloc(n int) ([]byte, error) {
	if w.segment == nil {
		return make([]byte, n), nil
	}
	return w.segment.Alloc(n)
}

// Free gives memory back.
func (w *Process) Free(b []byte) {
	if w.segment != nil {
		w.segment.Free(b)
	}
}

// shares reports whether messages to a rank go through shared memory.
func (w *Process) shares(rank int) bool {
	return w.segment != nil && w.nodes[rank] == w.nodes[w.rank] && w.peers[rank].Host == w.peers[w.rank].Host ||
		w.kind == Shm
}

func (w *Process) here() int {
	n := 0
	for _, p := range w.peers {
		if p.Host == w.peers[w.rank].Host {
			n++
		}
	}
	return n
}

// stopped names the ranks of this host whose processes are stopped (state T
// of proc_pid_stat(5)).
func (w *Process) stopped() string {
	text := ""
	for r, p := range w.peers {
		if p.Host != w.peers[w.rank].Host {
			continue
		}
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
		_, after, _ := strings.Cut(string(b), ") ")
		if strings.HasPrefix(after, "T") || strings.HasPrefix(after, "t") {
			text += fmt.Sprintf("; rank %d (process %d) is stopped", r, p.PID)
		}
	}
	return text
}

// mapped returns the segment of a rank as this process sees it.
func (w *Process) mapped(rank int) ([]byte, error) {
	if rank == w.rank {
		return w.segment.mem, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m, ok := w.maps[rank]; ok {
		return m, nil
	}
	m, err := openPeer(w.peers[rank].PID, w.peers[rank].FD)
	if err == nil {
		w.maps[rank] = m
	}
	return m, err
}

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
	p.spin, p.stopped = spinFor(w.here()), w.stopped
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
	p.start(Header{}, 0)
	for i, m := range p.members {
		if i == p.rank || !w.shares(m) {
			continue
		}
		mem, err := w.mapped(m)
		if err != nil {
			return err
		}
		if groups[i], err = find(p, mem, id, i); err != nil {
			return err
		}
		p.bells[i] = &groups[i].bell
		p.links[i] = &memLink{out: groups[i].lane(p.rank), in: mine.lane(i), segment: w.segment,
			peerBase: mem, peer: bellParker(&groups[i].bell), path: s.path(w.rank, m)}
	}
	if p.links[p.rank] == nil { // a rank may send to itself
		p.links[p.rank] = &memLink{out: mine.lane(p.rank), in: mine.lane(p.rank), segment: w.segment,
			peerBase: w.segment.mem, peer: p.park}
	}
	p.release = func() { w.leaveShared(p, groups, room, entry) }
	return nil
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
		if now() > p.deadline {
			return nil, p.Fail(member, fmt.Sprintf("it did not open the group for %v", p.timeout))
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
	p.start(Header{}, 0)
	mine := groups[p.rank]
	if p.await(-1, "not all ranks left the group", func() bool { return mine.left.Load() == want }) != nil {
		return
	}
	entry.id.Store(0)
	entry.offset.Store(0)
	w.segment.Free(room)
}

// Close unmaps all memory and closes all connections. All ports must be
// closed.
func (w *Process) Close() error {
	var errs []error
	w.mu.Lock()
	for _, m := range w.maps {
		errs = append(errs, unmapSegment(m))
	}
	w.maps = map[int][]byte{}
	w.mu.Unlock()
	s := Seat{segment: w.segment, socks: w.socks}
	return errors.Join(append(errs, s.Close())...)
}
