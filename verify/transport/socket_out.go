package transport

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"net"
	"sync/atomic"
	"syscall"
)

// outConn sends messages: small ones from the caller, what does not fit the
// kernel's buffer from a goroutine, so that a rank can receive meanwhile.
type outConn struct {
	*watched
	port  *Port
	peer  int
	sent  uint32
	done  atomic.Uint32
	small []byte
	queue chan parcel
	ended chan struct{}
}

// parcel is one message, or what is left of one.
type parcel struct {
	head, data []byte
	checksum   bool // append the payload's
	seq        uint32
	call       Header // for messages, with the number of its steps
	steps      int
}

// outQueue is how many large messages may wait for a connection.
const outQueue = 256

func newOutConn(p *Port, peer int, c net.Conn) *outConn {
	w, err := watch(p, c)
	if err != nil { // sockets have descriptors
		w = &watched{Conn: c}
	}
	o := &outConn{watched: w, port: p, peer: peer, queue: make(chan parcel, outQueue), ended: make(chan struct{})}
	go o.drain()
	return o
}

func (o *outConn) send(h *Header, data []byte, ready int64) (seq uint32, held bool, err error) {
	if err := o.port.ended(); err != nil {
		return 0, false, err
	}
	o.sent++
	idle := o.done.Load() == o.sent-1
	if len(data) > directMax {
		head := make([]byte, frameSize)
		putFrame(head, h, len(data), ready)
		return o.sent, true, o.enqueue(parcel{head: head, data: data, checksum: true, seq: o.sent})
	}
	b := o.pack(idle, h, data, ready)
	if idle {
		o.small = b
		n, err := o.try(b)
		if err != nil {
			return 0, false, explain(o.port, o.peer, err)
		}
		if n == len(b) {
			o.done.Store(o.sent)
			return o.sent, false, nil
		}
		b = b[n:]
	}
	return o.sent, false, o.enqueue(parcel{head: b, seq: o.sent})
}

// enqueue hands a message to the goroutine, after waiting for room.
func (o *outConn) enqueue(m parcel) error {
	room := func() bool { return len(o.queue) < cap(o.queue) }
	if !room() {
		if err := o.port.await(o.peer, "it does not take what was sent", room); err != nil {
			return err
		}
	}
	m.call, m.steps = o.port.call, o.port.steps
	o.queue <- m
	return nil
}

// pack joins a small message and its header in a buffer, which is used again
// unless the goroutine may still send from it.
func (o *outConn) pack(idle bool, h *Header, data []byte, ready int64) []byte {
	var b []byte
	if idle {
		b = o.small[:0]
	}
	b = append(b, make([]byte, frameSize)...)
	putFrame(b, h, len(data), ready)
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(data, castagnoli))
}

// try writes what the kernel takes without waiting.
func (o *outConn) try(b []byte) (n int, err error) {
	if o.raw == nil {
		return 0, nil
	}
	werr := o.raw.Write(func(fd uintptr) bool {
		n, err = writeSome(fd, b)
		return true
	})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return 0, nil
	}
	if err == nil {
		err = werr
	}
	return max(n, 0), err
}

// drain writes queued messages in order. The receiver learns of a failure
// from the connection or the job's failure, so the goroutine only records it.
func (o *outConn) drain() {
	defer close(o.ended)
	for m := range o.queue {
		if o.port.abort.Err() != nil {
			o.finish(m)
			continue
		}
		if err := o.write(m); err != nil && o.port.abort.Err() == nil {
			_ = o.port.abort.Suspect(&Failure{Collective: OpName(m.call.What), Call: m.call.Call, Step: int(m.call.Step) + 1,
				Steps: m.steps, Rank: o.port.members[o.port.rank], Peer: o.port.members[o.peer], Cause: broken(err)})
		}
		o.finish(m)
	}
}

func (o *outConn) finish(m parcel) {
	o.done.Store(m.seq)
	o.port.park.wake()
}

func (o *outConn) write(m parcel) error {
	if !m.checksum {
		_, err := o.Write(m.head)
		return err
	}
	sum := uint32(0)
	first := true
	for off := 0; off < len(m.data); off += pieceSize {
		piece := m.data[off:min(off+pieceSize, len(m.data))]
		sum = crc32.Update(sum, castagnoli, piece)
		bufs := net.Buffers{piece}
		if first {
			bufs = net.Buffers{m.head, piece}
			first = false
		}
		if off+pieceSize >= len(m.data) {
			// A rank that has given up may have changed the data: then no
			// checksum must vouch for them.
			if err := o.port.abort.Err(); err != nil {
				return err
			}
			bufs = append(bufs, binary.LittleEndian.AppendUint32(nil, sum))
		}
		if _, err := bufs.WriteTo(o.Conn); err != nil {
			return err
		}
	}
	return nil
}

func (o *outConn) close() error {
	close(o.queue)
	<-o.ended
	return o.Close()
}
