package cuda

import "fmt"

// Bandwidth measures copies of n bytes from the GPU of rank from to that of
// rank to, which may be the same, and returns bytes per second: of the copy,
// so that a copy inside a GPU moves twice as many through its memory. Other
// ranks are idle.
func (g *Group) Bandwidth(from, to, n, iters int) (float64, error) {
	if n < 1 || iters < 1 {
		return 0, fmt.Errorf("%d copies of %d bytes: too few: want at least 1", iters, n)
	}
	src, err := g.Alloc(from, n)
	if err != nil {
		return 0, err
	}
	defer func() { _ = g.Free(from, src) }()
	dst, err := g.Alloc(to, n)
	if err != nil {
		return 0, err
	}
	defer func() { _ = g.Free(to, dst) }()
	seat := g.Seat(to)
	if err := g.copies(from, to, dst, src, n, 3); err != nil { // the first maps the memory
		return 0, err
	}
	for _, f := range []func() error{seat.Begin, func() error { return g.copies(from, to, dst, src, n, iters) }, seat.End, g.Wait} {
		if err := f(); err != nil {
			return 0, err
		}
	}
	seconds, err := seat.Elapsed()
	if err != nil || seconds <= 0 {
		return 0, err
	}
	return float64(n) * float64(iters) / seconds, nil
}

func (g *Group) copies(from, to int, dst, src Pointer, n, times int) error {
	return g.on(func() error {
		r := g.ranks[to]
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		for range times {
			if err := g.copy(r, dst, g.ranks[from], src, n); err != nil {
				return err
			}
		}
		return nil
	})
}
