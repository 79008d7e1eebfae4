package replay

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"

	"planner/costmodel/collective"
	"planner/verify/transport"
)

// control carries commands from rank 0 to all and their replies back, over
// links that nothing shapes.
type control struct {
	port *transport.Port
}

// controlID names the group of control; groups of callers begin at 16, and
// those of programs have the highest bit.
const controlID = 1 << 20

// Signatures of control's messages, told apart by their counts. The words in
// failures are the engine's.
var (
	controlSize = transport.Signature{Op: uint8(collective.Broadcast), Count: 1}
	controlData = transport.Signature{Op: uint8(collective.Broadcast), Count: 2}
	controlGo   = transport.Signature{Op: uint8(collective.NumOps)} // a barrier
)

func newControl(w transport.World) (*control, error) {
	all := make([]int, w.Size())
	for i := range all {
		all[i] = i
	}
	p, err := transport.OpenBare(w, controlID, all)
	return &control{p}, err
}

// tell sends x of rank 0 to all, and returns what rank 0 sent.
func tell[T any](c *control, x *T) (*T, error) {
	var text []byte
	if c.port.Rank() == 0 {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(x); err != nil {
			return nil, err
		}
		text = b.Bytes()
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if err := c.down(controlSize, size); err != nil {
		return nil, err
	}
	if c.port.Rank() != 0 {
		text = make([]byte, binary.LittleEndian.Uint64(size))
	}
	if err := c.down(controlData, text); err != nil || c.port.Rank() == 0 {
		return x, err
	}
	out := new(T)
	return out, gob.NewDecoder(bytes.NewReader(text)).Decode(out)
}

// down moves b from rank 0 to all.
func (c *control) down(what transport.Signature, b []byte) error {
	p := c.port
	if err := p.Begin(what, 1); err != nil {
		return err
	}
	if p.Rank() != 0 {
		return errors.Join(p.Recv(0, b, nil, nil), p.Flush())
	}
	for r := 1; r < p.Size(); r++ {
		if err := p.Send(r, b); err != nil {
			return err
		}
	}
	return p.Flush()
}

// collect returns to rank 0 what every rank says, nil to the others.
func collect[T any](c *control, x *T) ([]*T, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(x); err != nil {
		return nil, err
	}
	n := c.port.Size()
	sizes := make([][]byte, n)
	for r := range sizes {
		sizes[r] = make([]byte, 8)
	}
	binary.LittleEndian.PutUint64(sizes[c.port.Rank()], uint64(b.Len()))
	if err := c.up(controlSize, sizes); err != nil {
		return nil, err
	}
	texts := make([][]byte, n)
	for r := range texts {
		texts[r] = make([]byte, binary.LittleEndian.Uint64(sizes[r]))
	}
	texts[c.port.Rank()] = b.Bytes()
	if err := c.up(controlData, texts); err != nil || c.port.Rank() != 0 {
		return nil, err
	}
	out := make([]*T, n)
	for r := range out {
		if out[r] = new(T); r == 0 {
			out[r] = x
			continue
		}
		if err := gob.NewDecoder(bytes.NewReader(texts[r])).Decode(out[r]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// up moves the piece of every rank to rank 0.
func (c *control) up(what transport.Signature, pieces [][]byte) error {
	p := c.port
	if err := p.Begin(what, 1); err != nil {
		return err
	}
	if p.Rank() != 0 {
		return errors.Join(p.Send(0, pieces[p.Rank()]), p.Flush())
	}
	for r := 1; r < p.Size(); r++ {
		if err := p.Recv(r, pieces[r], nil, nil); err != nil {
			return err
		}
	}
	return p.Flush()
}

// together returns on all ranks at about the same time: a message's time apart
// (dissemination barrier, Hensgen, Finkel and Manber 1988).
func (c *control) together() error {
	p := c.port
	n, r := p.Size(), p.Rank()
	if err := p.Begin(controlGo, n); err != nil {
		return err
	}
	for d, i := 1, 0; d < n; d, i = 2*d, i+1 {
		p.Step(i)
		if err := p.Send((r+d)%n, nil); err != nil {
			return err
		}
		if err := p.Recv((r-d+n)%n, nil, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
