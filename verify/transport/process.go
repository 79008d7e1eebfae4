package transport

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"planner/verify/cores"
)

// Process is a rank of a job whose ranks are processes.
type Process struct {
	rank    int
	kind    Kind
	opts    Options
	peers   []Peer
	nodes   []int
	core    int
	ownCore bool
	abort   Abort
	segment *Segment
	socks   *sockets
	shaper  *shaper
	mu      sync.Mutex
	maps    map[int][]byte // segments of peers, by rank
	stall   func(History)
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

// Emulated reports whether a shape makes links slower than the machine's.
func (w *Process) Emulated() bool { return w.opts.Shape.slows() }

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

// shareCores finds this rank's core among those that the ranks of its host may
// use.
func (w *Process) shareCores() {
	var sets []cores.Set
	me := 0
	for r, p := range w.peers {
		if p.Host != w.peers[w.rank].Host {
			continue
		}
		if r == w.rank {
			me = len(sets)
		}
		sets = append(sets, p.CPU)
	}
	all, own := cores.Share(sets)
	w.core, w.ownCore = all[me], own
}

// Core returns the core that this rank is to run on.
func (w *Process) Core() (core int, own bool) { return w.core, w.ownCore }

// Stopped names the ranks of this host whose processes are stopped (state T of
// proc_pid_stat(5)), each after a semicolon; it is empty if none is.
func (w *Process) Stopped() string {
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
