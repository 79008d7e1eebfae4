package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

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
