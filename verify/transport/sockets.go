package transport

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// sockets accepts and makes the connections of a process. A connection is one
// direction of one pair in one group.
type sockets struct {
	kind     Kind
	key      []byte
	listener net.Listener
	mu       sync.Mutex
	waiting  map[conversation]chan net.Conn
	ready    chan struct{} // closed when key is known
	handlers sync.WaitGroup
}

// conversation names a connection by what it is for.
type conversation struct {
	group    uint64
	from, to uint32
}

// handshakeTime bounds how long a connection may take to introduce itself.
const handshakeTime = 5 * time.Second

const (
	nonceSize = 16
	helloSize = 16 + sha256.Size
)

func listen(kind Kind, host string) (*sockets, error) {
	network, addr := "tcp", net.JoinHostPort(host, "0")
	if kind == Unix {
		// An abstract name has no file that could stay behind (unix(7)).
		var b [8]byte
		_, _ = rand.Read(b[:])
		network, addr = "unix", fmt.Sprintf("@planner-%x", b)
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		return nil, err
	}
	s := &sockets{kind: kind, listener: l, waiting: map[conversation]chan net.Conn{}, ready: make(chan struct{})}
	s.handlers.Go(s.accept)
	return s, nil
}

// unlock sets the key that connections must prove to know.
func (s *sockets) unlock(key []byte) {
	s.key = key
	close(s.ready)
}

func (s *sockets) address() string { return s.listener.Addr().String() }

// accept serves connections until the listener closes. One that does not
// prove to know the job's key is dropped.
func (s *sockets) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.handlers.Go(func() {
			v, err := s.admit(c)
			if err != nil || !s.deliver(v, c) {
				_ = c.Close()
			}
		})
	}
}

// admit sends a nonce and expects what the connection is for, with a MAC of
// both.
func (s *sockets) admit(c net.Conn) (conversation, error) {
	_ = c.SetDeadline(time.Now().Add(handshakeTime))
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce)
	if _, err := c.Write(nonce); err != nil {
		return conversation{}, err
	}
	hello := make([]byte, helloSize)
	if _, err := io.ReadFull(c, hello); err != nil {
		return conversation{}, err
	}
	v := conversation{binary.LittleEndian.Uint64(hello), binary.LittleEndian.Uint32(hello[8:]),
		binary.LittleEndian.Uint32(hello[12:])}
	select {
	case <-s.ready: // a peer may know the key before this process does
	case <-time.After(handshakeTime):
		return v, errors.New("no key")
	}
	if !hmac.Equal(hello[16:], proof(s.key, nonce, hello[:16])) {
		return v, errors.New("stranger")
	}
	return v, c.SetDeadline(time.Time{})
}

func proof(key, nonce, hello []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(nonce)
	m.Write(hello)
	return m.Sum(nil)
}

// box returns where a connection waits for its receiver.
func (s *sockets) box(v conversation) chan net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.waiting[v]
	if b == nil {
		b = make(chan net.Conn, 1)
		s.waiting[v] = b
	}
	return b
}

func (s *sockets) deliver(v conversation, c net.Conn) bool {
	select {
	case s.box(v) <- c:
		return true
	default: // a second one
		return false
	}
}

func (s *sockets) close() error {
	err := s.listener.Close()
	s.handlers.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.waiting {
		select {
		case c := <-b:
			_ = c.Close()
		default:
		}
	}
	return err
}
