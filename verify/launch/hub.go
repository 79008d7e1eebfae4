package launch

import (
	"crypto/rand"
	"fmt"
	"net"
	"sync"
	"time"

	"planner/verify/transport"
)

// hub is where the ranks meet: it runs in rank 0.
type hub struct {
	listener net.Listener
	size     int
	secret   string
	key      []byte

	mu     sync.Mutex
	wires  []*wire // by rank
	peers  []transport.Peer
	here   int
	gone   int
	failed *transport.Failure
	stalls map[place]transport.History
	doubts []*doubt
	all    map[*wire]bool // open connections, introduced or not
	tasks  sync.WaitGroup
}

// place is one rank in one group.
type place struct {
	rank  int
	group uint64
}

func newHub(l net.Listener, size int, secret string) *hub {
	h := &hub{listener: l, size: size, secret: secret, key: random(32), wires: make([]*wire, size),
		peers: make([]transport.Peer, size), stalls: map[place]transport.History{}, all: map[*wire]bool{}}
	h.tasks.Go(h.accept)
	return h
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

func (h *hub) accept() {
	for {
		c, err := h.listener.Accept()
		if err != nil {
			return
		}
		w := newWire(c)
		h.mu.Lock()
		h.all[w] = true
		h.mu.Unlock()
		h.tasks.Go(func() {
			h.serve(w)
			_ = w.Close()
			h.mu.Lock()
			delete(h.all, w)
			h.mu.Unlock()
		})
	}
}

// serve admits one rank and listens to it until it leaves.
func (h *hub) serve(w *wire) {
	rank, why := h.admit(w)
	if why != "" {
		_ = w.send(message{Kind: "refuse", Version: version, Reason: why})
		return
	}
	left := false
	for {
		m, err := w.receive()
		if err != nil {
			if !left {
				h.lost(rank)
			}
			return
		}
		switch m.Kind {
		case "fail":
			h.broadcast(m.Failure)
		case "doubt":
			h.question(rank, m.Failure)
		case "alive":
			h.answered(rank, m.Ask)
		case "stall":
			h.compare(rank, m.Stall)
		case "bye":
			left = true
			h.bye()
		}
	}
}

// compare looks for a rank that did another call than one that waits.
func (h *hub) compare(rank int, mine *transport.History) {
	if mine == nil {
		return
	}
	h.mu.Lock()
	h.stalls[place{rank, mine.Group}] = *mine
	var f *transport.Failure
	for r := range h.size {
		if call, a, b, differ := mine.Differ(h.stalls[place{r, mine.Group}]); differ {
			f = &transport.Failure{Collective: transport.OpName(a), Call: call, Rank: rank, Peer: r,
				Cause: fmt.Sprintf("the ranks disagree: rank %d runs %s, rank %d %s", rank, transport.Names(a), r, transport.Names(b))}
		}
	}
	h.mu.Unlock()
	h.broadcast(f)
}

// bye counts the ranks that have finished. When all have, each is told.
func (h *hub) bye() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone++; h.gone == h.size {
		for _, w := range h.wires {
			_ = w.send(message{Kind: "bye"})
		}
	}
}

// grace is how long ranks may take to read why the job failed.
const grace = 500 * time.Millisecond

// close ends the hub. After a failure it closes only its own direction first:
// a connection that is closed while messages are on their way drops what its
// reader has not seen (RFC 1122, 4.2.2.13).
func (h *hub) close() {
	_ = h.listener.Close()
	h.mu.Lock()
	failed := h.failed != nil
	for w := range h.all {
		if c, ok := w.Conn.(interface{ CloseWrite() error }); ok && failed {
			_ = c.CloseWrite()
		} else {
			_ = w.Close()
		}
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() { h.tasks.Wait(); close(done) }()
	select {
	case <-done:
		return
	case <-time.After(grace):
	}
	h.mu.Lock()
	for w := range h.all {
		_ = w.Close()
	}
	h.mu.Unlock()
	<-done
}
