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

// counts are numbers of elements that do and do not divide among n ranks,
// below and above what travels inside a slot.
func counts(n int) []int { return []int{0, 1, n + 1, 64 * n, 4099} }

// runExact runs one call on one rank on exact data and counts wrong elements.
func runExact(c *engine.Comm, call engine.Call, inPlace bool) (int, error) {
	s, err := c.Plan(call)
	if err != nil {
		return 0, err
	}
	d := bench.NewData(s, call.Type, call.Reduction)
	in, out := steps.Lens(s, c.Rank())
	e := call.Type.Size()
	call.In, call.Out = make([]byte, in*e), make([]byte, out*e)
	if inPlace {
		call.In, call.Out = alias(s, c.Rank(), e)
	}
	d.Fill(call.In, c.Rank())
	if err := c.Do(call); err != nil {
		return 0, err
	}
	return d.Wrong(call.Out, c.Rank()), nil
}

// alias returns buffers in place as nccl-tests lays them: the shorter one is
// the rank's piece of the longer.
func alias(s steps.Spec, rank, e int) (in, out []byte) {
	i, o := steps.Lens(s, rank)
	whole := make([]byte, max(i, o)*e)
	off, _ := steps.Cut(s.Count, s.Ranks, rank)
	if i < o && i > 0 {
		return whole[off*e : (off+i)*e], whole
	}
	if o < i && o > 0 {
		return whole, whole[off*e : (off+o)*e]
	}
	return whole[:i*e], whole[:o*e]
}
