package engine_test

import (
	"errors"
	"sync"
	"testing"

	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/transport"
)

// job runs f on every rank of a job. The ranks are goroutines of this process
// whatever the transport, so that a test sees all of them.
func job(t testing.TB, kind transport.Kind, n int, o transport.Options, f func(c *engine.Comm) error) error {
	t.Helper()
	worlds := worldsOf(t, kind, n, o)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for r, w := range worlds {
		wg.Go(func() {
			c, err := engine.New(w)
			if err == nil {
				err = errors.Join(f(c), c.Close())
			}
			errs[r] = err
		})
	}
	wg.Wait()
	for _, w := range worlds {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

func worldsOf(t testing.TB, kind transport.Kind, n int, o transport.Options) []transport.World {
	t.Helper()
	worlds := make([]transport.World, n)
	if kind == transport.Goroutine {
		l, err := transport.NewLocal(n, o)
		if err != nil {
			t.Fatal(err)
		}
		for r := range n {
			worlds[r] = l.World(r)
		}
		return worlds
	}
	seats, peers := make([]*transport.Seat, n), make([]transport.Peer, n)
	for r := range n {
		s, err := transport.NewSeat(kind, "127.0.0.1", "")
		if err != nil {
			t.Fatal(err)
		}
		seats[r], peers[r] = s, s.Peer
	}
	for r := range n {
		w, err := seats[r].Take(r, peers, []byte("key"), o)
		if err != nil {
			t.Fatal(err)
		}
		worlds[r] = w
	}
	return worlds
}

// runExact runs one call on one rank on exact data and counts wrong elements.
func runExact(c *engine.Comm, call engine.Call, inPlace bool) (int, error) {
	s, err := c.Plan(call)
	if err != nil {
		return 0, err
	}
	free, err := place(c, &call, s, inPlace)
	if err != nil {
		return 0, err
	}
	defer free()
	d := bench.NewData(s, call.Type, call.Reduction)
	d.Fill(call.In, c.Rank())
	if err := c.Do(call); err != nil {
		return 0, err
	}
	return d.Wrong(call.Out, c.Rank()), nil
}

// place gives a call buffers: for even counts in memory that the transport may
// share, for odd ones on the heap. In place they lie as nccl-tests lays them:
// the shorter one is the rank's piece of the longer.
func place(c *engine.Comm, call *engine.Call, s steps.Spec, inPlace bool) (free func(), err error) {
	in, out := steps.Lens(s, c.Rank())
	e := call.Type.Size()
	size := (in + out) * e
	if inPlace {
		size = max(in, out) * e
	}
	whole, free := make([]byte, size), func() {}
	if call.Count%2 == 0 {
		if whole, err = c.Alloc(size); err != nil {
			return nil, err
		}
		free = func() { c.Free(whole) }
	}
	off, _ := steps.Cut(s.Count, s.Ranks, c.Rank())
	call.In, call.Out = whole[:in*e], whole[size-out*e:]
	switch {
	case !inPlace:
	case 0 < in && in < out:
		call.In = whole[off*e : (off+in)*e]
	case 0 < out && out < in:
		call.Out = whole[off*e : (off+out)*e]
	}
	return free, nil
}
