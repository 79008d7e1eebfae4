package cuda

import (
	"fmt"
	"unsafe"
)

// area is memory that grows as calls need it.
type area struct {
	at Pointer
	n  int
}

// Alloc returns n bytes on the GPU of a rank; none for n = 0.
func (g *Group) Alloc(rank, n int) (p Pointer, err error) {
	if n == 0 {
		return 0, nil
	}
	err = g.on(func() error {
		r := g.ranks[rank]
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		if err := g.d.check(g.d.alloc(&p, g.room(n)), "cuMemAlloc"); err != nil {
			return fmt.Errorf("%d bytes on GPU %d: %w", n, r.Ordinal, err)
		}
		return nil
	})
	return p, err
}

// wholeBlock is what the driver maps at once. Handles to other processes name
// whole blocks, so memory that travels shares none (CUDA driver API,
// cuIpcGetMemHandle).
const wholeBlock = 2 << 20

// room returns what to ask the driver for.
func (g *Group) room(n int) uint64 {
	if g.travels {
		return uint64(n+wholeBlock-1) / wholeBlock * wholeBlock
	}
	return uint64(n)
}

// Free gives back what Alloc returned.
func (g *Group) Free(rank int, p Pointer) error {
	if p == 0 {
		return nil
	}
	return g.on(func() error {
		if err := g.enter(g.ranks[rank].gpu); err != nil {
			return err
		}
		return g.d.check(g.d.free(p), "cuMemFree")
	})
}

// Write copies b to the GPU. No call that uses the memory may be in progress.
func (g *Group) Write(rank int, p Pointer, b []byte) error {
	return g.move(rank, len(b), "cuMemcpyHtoD", func() Result {
		return g.d.toDevice(p, unsafe.Pointer(&b[0]), uint64(len(b)))
	})
}

// Read copies from the GPU into b, with what Write asks.
func (g *Group) Read(rank int, b []byte, p Pointer) error {
	return g.move(rank, len(b), "cuMemcpyDtoH", func() Result {
		return g.d.toHost(unsafe.Pointer(&b[0]), p, uint64(len(b)))
	})
}

func (g *Group) move(rank, n int, call string, f func() Result) error {
	if n == 0 {
		return nil
	}
	return g.on(func() error {
		if err := g.enter(g.ranks[rank].gpu); err != nil {
			return err
		}
		return g.d.check(f(), call)
	})
}

// reserve makes an area of the entered GPU at least n bytes long. What was in
// it is lost, and must not be in use.
func (g *Group) reserve(a *area, n int) error {
	if n <= a.n {
		return nil
	}
	g.drop(a)
	g.grown++
	if err := g.d.check(g.d.alloc(&a.at, g.room(n)), "cuMemAlloc"); err != nil {
		a.at = 0
		return fmt.Errorf("scratch of %d bytes on GPU %d: %w", n, g.now.Ordinal, err)
	}
	a.n = n
	return nil
}

// drop frees an area; the driver waits for what uses it.
func (g *Group) drop(a *area) {
	if a.at != 0 {
		_ = g.d.free(a.at)
	}
	*a = area{}
}
