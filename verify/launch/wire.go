package launch

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"planner/verify/transport"
)

// version is the protocol's; ranks of different versions do not talk.
const version = 2

// maxLine bounds a message, so that a stranger cannot fill the memory.
const maxLine = 1 << 20

// message is what ranks and rank 0's hub exchange, one JSON object a line.
type message struct {
	Kind    string             `json:"kind"` // challenge, hello, welcome, refuse, fail, doubt, ask, alive, stall, bye
	Version int                `json:"version,omitempty"`
	Rank    int                `json:"rank,omitempty"`
	Size    int                `json:"size,omitempty"`
	Nonce   []byte             `json:"nonce,omitempty"`
	Proof   []byte             `json:"proof,omitempty"`
	Key     []byte             `json:"key,omitempty"`
	Peer    *transport.Peer    `json:"peer,omitempty"`
	Peers   []transport.Peer   `json:"peers,omitempty"`
	Reason  string             `json:"reason,omitempty"`
	Failure *transport.Failure `json:"failure,omitempty"`
	Stall   *transport.History `json:"stall,omitempty"`
	Ask     int                `json:"ask,omitempty"` // number of a doubt, from 1
}

// wire is a connection that carries messages.
type wire struct {
	net.Conn
	in *bufio.Scanner
	mu sync.Mutex
}

func newWire(c net.Conn) *wire {
	s := bufio.NewScanner(c)
	s.Buffer(nil, maxLine)
	return &wire{Conn: c, in: s}
}

// writeTime bounds a write; a rank that does not read for so long is lost.
const writeTime = 2 * time.Second

func (w *wire) send(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.SetWriteDeadline(time.Now().Add(writeTime))
	_, err = w.Write(append(b, '\n'))
	return err
}

func (w *wire) receive() (message, error) {
	var m message
	if !w.in.Scan() {
		return m, errors.Join(errClosed, w.in.Err())
	}
	if err := json.Unmarshal(w.in.Bytes(), &m); err != nil {
		return m, fmt.Errorf("not a message of planner: %w", err)
	}
	return m, nil
}

var errClosed = errors.New("connection closed")

// proof shows knowledge of the secret without telling it.
func proof(secret string, nonce []byte, who string) []byte {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write(nonce)
	m.Write([]byte(who))
	return m.Sum(nil)
}
