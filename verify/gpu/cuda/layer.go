package cuda

import (
	"fmt"
	"unsafe"

	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// Norm puts the norm of rows on the seat's stream: dst = x / rms(x) · w, by
// rows of cols elements of a type that ptx.Serves.
func (s *Seat) Norm(t reduce.DType, dst, x, w uintptr, rows, cols int) error {
	return s.layer(t, ptx.Norm(t), rows*cols*t.Size(), uint64(dst), uint64(x), uint64(w), uint64(rows), uint64(cols))
}

// NormGrad puts its gradient on the stream.
func (s *Seat) NormGrad(t reduce.DType, dst, dy, x, w uintptr, rows, cols int) error {
	return s.layer(t, ptx.NormGrad(t), rows*cols*t.Size(), uint64(dst), uint64(dy), uint64(x), uint64(w), uint64(rows), uint64(cols))
}

// Sum puts dst = a + b of n elements on the stream, as a residual is added.
func (s *Seat) Sum(t reduce.DType, dst, a, b uintptr, n int) error {
	return s.layer(t, ptx.Reduce(t, reduce.Sum), n*t.Size(), uint64(dst), uint64(a), uint64(b), uint64(n))
}

// Copy puts a copy of n bytes by the kernel, not the copy engine, on the
// stream; by the driver where there is no kernel for the GPU.
func (s *Seat) Copy(dst, src uintptr, n int) error {
	if r := s.g.ranks[s.rank]; r.missing != nil && n > 0 {
		return s.within(func() error {
			return s.g.d.check(s.g.d.copyAsync(Pointer(dst), Pointer(src), uint64(n), r.stream), "cuMemcpyDtoDAsync")
		})
	}
	return s.layer(reduce.F32, ptx.Copy, n, uint64(dst), uint64(src), uint64(n))
}

func (s *Seat) layer(t reduce.DType, entry string, bytes int, args ...uint64) error {
	if !ptx.Serves(t) {
		return fmt.Errorf("%s: no kernel on GPUs: want f32, f16 or bf16", entry)
	}
	return s.g.on(func() error {
		r := s.g.ranks[s.rank]
		if err := s.g.enter(r.gpu); err != nil {
			return err
		}
		return s.g.launch(r, entry, bytes, args...)
	})
}

// Moments are what the optimizer keeps of n parameters, each n elements: the
// parameters in the type of the step, the rest in f32.
type Moments struct{ Param, Grad, Master, M, V uintptr }

// Adam puts one step of the optimizer on the stream.
func (s *Seat) Adam(t reduce.DType, m Moments, n int, step ptx.AdamStep) error {
	if !ptx.Serves(t) {
		return fmt.Errorf("%s: no kernel on GPUs: want f32, f16 or bf16", ptx.Adam(t))
	}
	return s.g.on(func() error {
		g, r := s.g, s.g.ranks[s.rank]
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		for i, v := range []uint64{uint64(m.Param), uint64(m.Grad), uint64(m.Master), uint64(m.M), uint64(m.V), uint64(n)} {
			g.args.values[i] = v
			g.args.at[i] = unsafe.Pointer(&g.args.values[i])
		}
		g.args.step = step
		g.args.at[6] = unsafe.Pointer(&g.args.step)
		return g.start(r, ptx.Adam(t), 4*n)
	})
}

// Fill sets n bytes on the stream.
func (s *Seat) Fill(p uintptr, v byte, n int) error {
	return s.within(func() error {
		return s.g.d.check(s.g.d.setAsync(Pointer(p), v, uint64(n), s.g.ranks[s.rank].stream), "cuMemsetD8Async")
	})
}
