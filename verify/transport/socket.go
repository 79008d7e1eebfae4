package transport

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

const (
	frameSize  = 64         // bytes of a message's header on a socket
	frameMagic = 0x524e4c50 // "PLNR", little-endian
	directMax  = 16 << 10   // messages up to here are copied and sent at once
	pieceSize  = 256 << 10  // bytes merged at a time, which fit the cache
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sockLink is a rank's link to a member over two connections, one for each
// direction. Each is made when the first message goes over it.
type sockLink struct {
	dial   func(p *Port, peer int) (net.Conn, error)
	accept func(p *Port, peer int) (net.Conn, error)
	out    *outConn
	in     *inConn
	path   *path
}

func (l *sockLink) finished() uint32 {
	if l.out == nil {
		return 0
	}
	return l.out.done.Load()
}

func (l *sockLink) send(p *Port, peer int, h *Header, data []byte) (seq uint32, held bool, err error) {
	if l.out == nil {
		c, err := l.dial(p, peer)
		if err != nil {
			return 0, false, explain(p, peer, err)
		}
		l.out = newOutConn(p, peer, c)
	}
	var ready int64
	if l.path != nil {
		ready = l.path.reserve(p.clock(), len(data))
	}
	return l.out.send(h, data, ready)
}

func (l *sockLink) recv(p *Port, peer int, want *Header, dst, src []byte, merge Merge) error {
	if l.in == nil {
		c, err := l.accept(p, peer)
		if err != nil {
			return explain(p, peer, err)
		}
		l.in = newInConn(p, c)
	}
	entered := p.entered(l.path != nil)
	got, size, ready, err := l.in.frame(p, peer)
	if err != nil {
		return err
	}
	if err := p.check(peer, want, got, size, len(dst)); err != nil {
		return err
	}
	if ready != 0 && l.path != nil {
		if err := p.deliver(peer, entered, ready, l.path, size); err != nil {
			return err
		}
	}
	return l.in.payload(p, peer, dst, src, merge)
}

func (l *sockLink) close() error {
	var errs []error
	if l.out != nil {
		errs = append(errs, l.out.close())
	}
	if l.in != nil {
		errs = append(errs, l.in.Close())
	}
	return errors.Join(errs...)
}

// putFrame writes a message's header:
// magic, call, step, size, signature, ready, CRC-32C of all before.
func putFrame(b []byte, h *Header, size int, ready int64) {
	w := h.What.pack()
	le := binary.LittleEndian
	clear(b[:frameSize])
	le.PutUint32(b, frameMagic)
	le.PutUint32(b[4:], h.Call)
	le.PutUint32(b[8:], h.Step)
	le.PutUint64(b[16:], uint64(size))
	le.PutUint64(b[24:], w[0])
	le.PutUint64(b[32:], w[1])
	le.PutUint64(b[40:], uint64(ready))
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
}

// parseFrame reads what putFrame wrote.
func parseFrame(b []byte) (h *Header, size int, ready int64, err error) {
	le := binary.LittleEndian
	if le.Uint32(b) != frameMagic || le.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli) {
		return nil, 0, 0, errors.New("sent a garbled message header")
	}
	n := le.Uint64(b[16:])
	if n > 1<<48 {
		return nil, 0, 0, fmt.Errorf("sent a message header of %d bytes", n)
	}
	h = &Header{Call: le.Uint32(b[4:]), Step: le.Uint32(b[8:]),
		What: unpack([2]uint64{le.Uint64(b[24:]), le.Uint64(b[32:])})}
	return h, int(n), int64(le.Uint64(b[40:])), nil
}

// watched is a connection whose reads and writes end when the job fails.
type watched struct {
	net.Conn
	raw syscall.RawConn
	set int64 // read deadline in force, monotonic ns
}

func watch(p *Port, c net.Conn) (*watched, error) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("%T has no file descriptor", c)
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, err
	}
	p.abort.OnFail(func(*Failure) { _ = c.SetDeadline(time.Unix(1, 0)) })
	return &watched{Conn: c, raw: raw}, nil
}

// until moves the read deadline if it is more than a slice off.
func (w *watched) until(p *Port) error {
	if d := p.due() - w.set; d > int64(slice) || d < -int64(slice) {
		w.set = p.due()
		if err := w.SetReadDeadline(time.Now().Add(time.Duration(p.due() - now()))); err != nil {
			return err
		}
	}
	return p.ended()
}

// explain turns an error of a connection into the job's failure. A connection
// that ends is the least that a peer's failure shows by.
func explain(p *Port, peer int, err error) error {
	if e := p.ended(); e != nil {
		return e
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return p.timedOut(peer, "nothing came from it")
	}
	return p.suspect(peer, broken(err))
}

// broken says what an error of a connection means.
func broken(err error) string {
	for _, closed := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, closed) {
			return "it closed the connection"
		}
	}
	return fmt.Sprintf("connection: %v", err)
}

// inConn receives messages.
type inConn struct {
	*watched
	buf     *bufio.Reader
	head    [frameSize]byte
	scratch []byte
	sum     uint32
}
