package nccl

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// fake opens the fake driver and library; fail makes a rank's communicators
// fail, and sets the version.
func fake(t *testing.T, devices int) (d *cuda.Driver, l *Library, set func(version, rank, code int32)) {
	t.Helper()
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: devices, Seed: devices})
	d, err := cuda.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := dl.Open("gcc's output", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := lib.Bind([]dl.Binding{{Name: "fakeNccl", Func: &set}}); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(NCCL, path); err != nil {
		t.Fatal(err)
	}
	return d, l, set
}

// job runs f on a goroutine per rank, each on a GPU of its own.
func job(d *cuda.Driver, l *Library, n int, timeout time.Duration, f func(c *Comm, s *cuda.Seat) error) error {
	id, err := l.NewID()
	if err != nil {
		return err
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for r := range n {
		wg.Go(func() {
			g, err := cuda.NewGroup(d, []int{r})
			if err != nil {
				errs[r] = err
				return
			}
			seat := g.Seat(0)
			c, err := l.Init(id, n, r, seat, timeout)
			if err == nil {
				err = f(c, seat)
				if err == nil {
					err = c.Close()
				}
			}
			errs[r] = errors.Join(err, g.Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// TestEveryCallIsExact runs all operations, types and reductions, with pieces
// that are even and not, and compares every element.
func TestEveryCallIsExact(t *testing.T) {
	d, l, _ := fake(t, 8)
	for n := 1; n <= 8; n++ {
		err := job(d, l, n, 20*time.Second, func(c *Comm, s *cuda.Seat) error { return everything(c, s) })
		if err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
}

func everything(c *Comm, s *cuda.Seat) error {
	for op := range collective.NumOps {
		for ty := range reduce.NumDTypes {
			for red := range reduce.NumOps {
				if red != reduce.Sum && op != collective.AllReduce && op != collective.ReduceScatter && op != collective.Reduce {
					continue
				}
				if c.Size > 3 && (ty != reduce.BF16 || red == reduce.Max || red == reduce.Min) {
					continue // as over 1 to 3 ranks
				}
				for _, k := range []int{0, 1, c.Size + 1, 64 * c.Size, 1031} {
					call := Call{Op: op, Type: ty, Reduction: red, Count: k}
					if op >= collective.Broadcast && op < collective.Send {
						call.Root = k % c.Size
					}
					if err := exact(c, s, call); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// exact runs a call on one rank. A Send goes from rank 0 to the last, and the
// last receives; other ranks do nothing.
func exact(c *Comm, s *cuda.Seat, k Call) error {
	spec := steps.Spec{Op: k.Op, Ranks: c.Size, Root: k.Root, Count: k.Count}
	if k.Op >= collective.Send {
		if c.Size == 1 || c.Rank != 0 && c.Rank != c.Size-1 {
			return nil
		}
		spec.Dest, k.Op, k.Peer = c.Size-1, collective.Send, c.Size-1
		if c.Rank > 0 {
			k.Op, k.Peer = collective.Recv, 0
		}
	}
	data := bench.NewData(spec, k.Type, k.Reduction)
	e := k.Type.Size()
	in, out := steps.Lens(spec, c.Rank)
	a, err := s.Alloc(in * e)
	if err != nil {
		return err
	}
	b, err := s.Alloc(out * e)
	if err != nil {
		return err
	}
	host := make([]byte, in*e)
	data.Fill(host, c.Rank)
	k.In, k.Out = a, b
	got := make([]byte, out*e)
	for _, f := range []func() error{func() error { return s.Write(a, host) }, func() error { return c.Do(k) }, c.Wait,
		func() error { return s.Read(got, b) }, func() error { return s.Free(a) }, func() error { return s.Free(b) }} {
		if err := f(); err != nil {
			return fmt.Errorf("%v %v %v count %d: %w", k.Op, k.Type, k.Reduction, k.Count, err)
		}
	}
	if wrong := data.Wrong(got, c.Rank); wrong > 0 {
		return fmt.Errorf("%v %v %v count %d root %d: rank %d of %d: %d wrong", k.Op, k.Type, k.Reduction, k.Count, k.Root,
			c.Rank, c.Size, wrong)
	}
	return nil
}

// TestSplit makes the groups of a 4 x 2 grid, by rows, by columns reversed,
// and without some ranks.
func TestSplit(t *testing.T) {
	d, l, _ := fake(t, 8)
	err := job(d, l, 8, 20*time.Second, func(c *Comm, s *cuda.Seat) error {
		row, err := c.Split(c.Rank/2, 0)
		if err != nil {
			return err
		}
		column, err := c.Split(c.Rank%2, -c.Rank)
		if err != nil {
			return err
		}
		if row.Size != 2 || row.Rank != c.Rank%2 || column.Size != 4 || column.Rank != 3-c.Rank/2 {
			return fmt.Errorf("rank %d: row %d of %d, column %d of %d", c.Rank, row.Rank, row.Size, column.Rank, column.Size)
		}
		some, err := c.Split([]int{-1, 5}[c.Rank%2], 0)
		if err != nil || (some == nil) != (c.Rank%2 == 0) {
			return fmt.Errorf("rank %d: %v, %v", c.Rank, some, err)
		}
		k := Call{Op: collective.AllReduce, Type: reduce.F32, Count: 1031}
		return errors.Join(exact(row, s, k), exact(column, s, k), row.Close(), column.Close())
	})
	if err != nil {
		t.Error(err)
	}
}
