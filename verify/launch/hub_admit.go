package launch

import (
	"crypto/hmac"
	"fmt"
	"time"
)

// introduction bounds how long a connection may take to say who it is.
const introduction = 5 * time.Second

// admit checks a rank's introduction; why is empty if it is welcome.
func (h *hub) admit(w *wire) (rank int, why string) {
	_ = w.SetReadDeadline(time.Now().Add(introduction))
	nonce := random(16)
	if w.send(message{Kind: "challenge", Version: version, Nonce: nonce}) != nil {
		return 0, "gone"
	}
	m, err := w.receive()
	switch {
	case err != nil || m.Kind != "hello" || m.Peer == nil:
		return 0, "not a rank of planner"
	case m.Version != version:
		return 0, fmt.Sprintf("version %d of the protocol: want %d: run the same planner everywhere", m.Version, version)
	case !hmac.Equal(m.Proof, proof(h.secret, nonce, fmt.Sprintf("rank %d of %d", m.Rank, m.Size))):
		return 0, "wrong secret"
	case m.Size != h.size:
		return 0, fmt.Sprintf("a job of %d ranks: want %d as rank 0 has", m.Size, h.size)
	case m.Rank < 0 || m.Rank >= h.size:
		return 0, fmt.Sprintf("rank %d: out of range: want 0 to %d", m.Rank, h.size-1)
	}
	_ = w.SetReadDeadline(time.Time{})
	return m.Rank, h.seat(w, m)
}

// seat notes where a rank can be reached, and welcomes all when it is the
// last.
func (h *hub) seat(w *wire, m message) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.wires[m.Rank] != nil {
		return fmt.Sprintf("rank %d: another process has it", m.Rank)
	}
	h.wires[m.Rank], h.peers[m.Rank] = w, *m.Peer
	if h.failed != nil { // before this rank came
		_ = w.send(message{Kind: "fail", Failure: h.failed})
		return ""
	}
	if h.here++; h.here == h.size {
		for _, w := range h.wires {
			_ = w.send(message{Kind: "welcome", Version: version, Key: h.key, Peers: h.peers})
		}
	}
	return ""
}

// missing returns the ranks that have not come.
func (h *hub) missing() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ranks []int
	for r, w := range h.wires {
		if w == nil {
			ranks = append(ranks, r)
		}
	}
	return ranks
}
