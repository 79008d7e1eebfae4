package launch

import "planner/verify/transport"

// lost tells all ranks that one has gone without saying so. The kernel closes
// a process's connections as soon as it dies, whatever it died of.
func (h *hub) lost(rank int) {
	h.broadcast(&transport.Failure{Rank: rank, Peer: -1, Cause: "it is gone: its process ended in the middle of the job"})
}

// broadcast passes on the first failure; later ones follow from it.
func (h *hub) broadcast(f *transport.Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(f)
}

// tell is broadcast for who holds the lock.
func (h *hub) tell(f *transport.Failure) {
	if h.failed != nil || f == nil {
		return
	}
	h.failed = f
	for _, w := range h.wires {
		if w != nil {
			_ = w.send(message{Kind: "fail", Failure: f})
		}
	}
}

// A rank that fails closes its links, and so does one that dies: who meets the
// end of a link does not know why. It asks the hub, and the hub asks the rank at
// the other end. That one says why it fails before it closes a link, and a
// connection keeps the order: its cause, or its end, comes before any answer
// that it knows of nothing. Only such an answer makes the end the cause.

// doubt is what may be but the consequence of a failure.
type doubt struct {
	what  *transport.Failure
	asked map[int]bool // ranks that may know better and have not answered
}

// question asks those who may know the cause of what a rank met: the peer
// there, or all ranks if there is none. A launcher interrupts ranks when
// another has ended, too.
func (h *hub) question(from int, f *transport.Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f == nil || h.failed != nil {
		return
	}
	d := &doubt{f, map[int]bool{}}
	h.doubts = append(h.doubts, d)
	for r, w := range h.wires {
		if w != nil && r != from && (f.Peer < 0 || r == f.Peer) {
			d.asked[r] = true
			_ = w.send(message{Kind: "ask", Ask: len(h.doubts)})
		}
	}
	h.settle(d)
}

// answered notes that a rank knows nothing of a doubt.
func (h *hub) answered(rank, ask int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ask < 1 || ask > len(h.doubts) {
		return
	}
	d := h.doubts[ask-1]
	delete(d.asked, rank)
	h.settle(d)
}

// settle takes a doubt for the cause if nobody is left who may know better.
func (h *hub) settle(d *doubt) {
	if len(d.asked) == 0 {
		h.tell(d.what)
	}
}
