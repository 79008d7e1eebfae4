package step

import (
	"errors"
	"fmt"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
	"planner/verify/replay"
)

// GPU is what computes on a GPU: products by cuBLASLt or hipBLASLt, traffic by
// the engine's own kernels.
type GPU struct {
	lib   *blas.Library
	seat  *cuda.Seat
	gemms map[blas.Shape]*blas.Gemm
	at    [4]uintptr // weights, tokens, results, workspace
	room  [4]int
}

// NewGPU returns the maths of a seat.
func NewGPU(lib *blas.Library, s *cuda.Seat) *GPU {
	return &GPU{lib: lib, seat: s, gemms: map[blas.Shape]*blas.Gemm{}}
}

// multiple is what dimensions of products are rounded up to, as libraries
// want: 16 bytes of bf16.
const multiple = 8

func up(n int) int { return (max(n, 1) + multiple - 1) / multiple * multiple }

// shapeOf returns the product as package blas has it: outputs, tokens, inputs.
func shapeOf(k *replay.Kernel) blas.Shape {
	return blas.Shape{M: up(k.N), N: up(k.M), K: up(k.K), Product: k.Product}
}

// Prepare chooses algorithms and makes room for operands.
func (g *GPU) Prepare(m replay.Mix) error {
	room := g.room
	room[3] = blas.Workspace
	if m.Once > 0 {
		enough := min(leastMoved, int(m.Once*fastest)&^15+16)
		room[1], room[2] = max(room[1], enough), max(room[2], enough)
	}
	for _, p := range m.Parts {
		for i := range p.Kernels {
			if err := g.ready(&p.Kernels[i], &room); err != nil {
				return err
			}
		}
	}
	return g.reserve(room)
}

// ready makes a kernel ready and says what room it needs.
func (g *GPU) ready(k *replay.Kernel, room *[4]int) error {
	if k.M == 0 {
		half := int(min(k.Bytes/2, mostMoved)) &^ 15
		room[1], room[2] = max(room[1], half), max(room[2], half)
		return nil
	}
	s := shapeOf(k)
	e := reduce.BF16.Size()
	room[0], room[1], room[2] = max(room[0], s.M*s.K*e), max(room[1], s.N*s.K*e), max(room[2], s.M*s.N*e)
	if g.gemms[s] != nil {
		return nil
	}
	x, err := g.lib.New(g.seat, s, reduce.BF16)
	if err == nil {
		g.gemms[s] = x
	}
	return err
}

// Traffic runs over at most mostMoved of a buffer before it begins again, and
// an optimizer's over leastMoved, far more than caches hold, or what a memory
// of the fastest rate moves meanwhile.
const (
	mostMoved  = 1 << 30
	leastMoved = 256 << 20
	fastest    = 8e12
)

func (g *GPU) reserve(room [4]int) error {
	for i, n := range room {
		if n <= g.room[i] {
			continue
		}
		if err := g.seat.Free(g.at[i]); err != nil {
			return err
		}
		g.at[i], g.room[i] = 0, 0
		p, err := g.seat.Alloc(n)
		if err != nil {
			return fmt.Errorf("operands of the layout's products: %w", err)
		}
		g.at[i], g.room[i] = p, n
		if err := fill(g.seat, p, n); err != nil {
			return err
		}
	}
	return nil
}

// patch is how much of an operand is made on the host; copies of it fill the
// rest.
const patch = 1 << 20

// fill writes numbers of many values around 1 in bf16: a matrix of zeros
// draws less power and runs faster than real data.
func fill(s *cuda.Seat, p uintptr, n int) error {
	b := make([]byte, min(n, patch))
	x := uint32(2463534242) // Marsaglia, Xorshift RNGs, 2003
	for i := 0; i+1 < len(b); i += 2 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		v := 0x3f80 | x&0x7f | x>>31<<15
		b[i], b[i+1] = byte(v), byte(v>>8)
	}
	if err := s.Write(p, b); err != nil {
		return err
	}
	for done := len(b); done < n; {
		more := min(done, n-done)
		if err := s.Copy(p+uintptr(done), p, more); err != nil {
			return err
		}
		done += more
	}
	return nil
}

// Run puts a kernel on the stream.
func (g *GPU) Run(k *replay.Kernel) error {
	if k.M == 0 {
		return g.Move(k.Bytes)
	}
	x := g.gemms[shapeOf(k)]
	if x == nil {
		return fmt.Errorf("product of %dx%dx%d: not prepared", k.M, k.N, k.K)
	}
	for range max(1, k.Groups) {
		if err := x.Run(g.at[0], g.at[1], g.at[2], g.at[3]); err != nil {
			return err
		}
	}
	return nil
}

// Move copies half of the bytes: each is read and written.
func (g *GPU) Move(bytes int64) error {
	room := int64(min(g.room[1], g.room[2]))
	for left := bytes / 2; left > 15 && room > 15; {
		n := min(left, room) &^ 15
		if err := g.seat.Copy(g.at[2], g.at[1], int(n)); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// Close gives back products and operands.
func (g *GPU) Close() error {
	var errs []error
	for _, x := range g.gemms {
		errs = append(errs, x.Close())
	}
	for _, p := range g.at {
		errs = append(errs, g.seat.Free(p))
	}
	g.gemms, g.at, g.room = nil, [4]uintptr{}, [4]int{}
	return errors.Join(append(errs, g.lib.Detach(g.seat))...)
}
