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

// link returns the link to a member of a group.
func (s *sockets) link(group uint64, from, to int, peer Peer, shaped *path) *sockLink {
	return &sockLink{
		path:   shaped,
		dial:   func(p *Port, _ int) (net.Conn, error) { return s.call(p, group, from, to, peer) },
		accept: func(p *Port, peer int) (net.Conn, error) { return s.answer(p, group, to, from, peer) },
	}
}

// call connects to a member.
func (s *sockets) call(p *Port, group uint64, from, to int, peer Peer) (net.Conn, error) {
	network, addr := "tcp", peer.TCP
	if s.kind == Unix {
		network, addr = "unix", peer.Unix
	}
	c, err := net.DialTimeout(network, addr, min(handshakeTime, time.Duration(p.due()-now())))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	_ = c.SetDeadline(time.Now().Add(min(handshakeTime, time.Duration(p.due()-now()))))
	p.abort.OnFail(func(*Failure) { _ = c.SetDeadline(time.Unix(1, 0)) })
	buf := make([]byte, nonceSize)
	if _, err := io.ReadFull(c, buf); err != nil {
		return nil, errors.Join(fmt.Errorf("handshake with %s: %w", addr, err), c.Close())
	}
	hello := binary.LittleEndian.AppendUint64(nil, group)
	hello = binary.LittleEndian.AppendUint32(hello, uint32(from))
	hello = binary.LittleEndian.AppendUint32(hello, uint32(to))
	if _, err := c.Write(append(hello, proof(s.key, buf, hello)...)); err != nil {
		return nil, errors.Join(fmt.Errorf("handshake with %s: %w", addr, err), c.Close())
	}
	_ = c.SetDeadline(time.Time{})
	return enlarge(c), nil
}

// answer waits for the connection from a member.
func (s *sockets) answer(p *Port, group uint64, from, to, peer int) (net.Conn, error) {
	box := s.box(conversation{group, uint32(from), uint32(to)})
	tick := time.NewTicker(slice)
	defer tick.Stop()
	begun, told := now(), false
	for {
		select {
		case c := <-box:
			return enlarge(c), nil
		case <-tick.C:
		}
		if err := p.ended(); err != nil {
			return nil, err
		}
		t := now()
		if !told && p.onStall != nil && t-begun > int64(stallAfter) {
			told = true
			p.onStall(p.history())
		}
		if t > p.due() {
			return nil, p.timedOut(peer, "nothing came from it")
		}
	}
}

// socketBuffer is what the kernel may hold of a connection: enough for a
// 400 Gb/s link of 80 µs.
const socketBuffer = 4 << 20

func enlarge(c net.Conn) net.Conn {
	if b, ok := c.(interface {
		SetReadBuffer(int) error
		SetWriteBuffer(int) error
	}); ok {
		_, _ = b.SetReadBuffer(socketBuffer), b.SetWriteBuffer(socketBuffer)
	}
	return c
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
