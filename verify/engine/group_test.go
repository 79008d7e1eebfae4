package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/launch"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func TestMain(m *testing.M) {
	launch.MaybeWorker() // a rank of TestMatrix
	goleak.VerifyTestMain(m)
}

// TestSplit makes a 2×3 grid of rows and columns and runs both at once.
func TestSplit(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Goroutine, transport.Shm, transport.TCP} {
		err := job(t, kind, 6, transport.Options{}, func(c *engine.Comm) error {
			row, err := c.Split(c.Rank()/3, -c.Rank())
			if err != nil {
				return err
			}
			column, err := c.Split(c.Rank()%3, 0)
			if err != nil {
				return err
			}
			if row.Size() != 3 || column.Size() != 2 || row.Rank() != 2-c.Rank()%3 || column.Rank() != c.Rank()/3 {
				t.Errorf("rank %d: row %d of %d, column %d of %d", c.Rank(), row.Rank(), row.Size(), column.Rank(), column.Size())
			}
			if err := overlapped(row, column); err != nil {
				return err
			}
			if err := row.Close(); err != nil {
				return err
			}
			return column.Close()
		})
		if err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// overlapped starts calls on two groups, more on one, and checks all.
func overlapped(groups ...*engine.Comm) error {
	type started struct {
		h    *engine.Handle
		d    *bench.Data
		out  []byte
		rank int
	}
	var all []started
	for i := range 4 {
		for _, c := range groups {
			call := engine.Call{Op: collective.AllReduce, Type: reduce.F32, Count: 5000 * (i + 1)}
			s, err := c.Plan(call)
			if err != nil {
				return err
			}
			d := bench.NewData(s, call.Type, call.Reduction)
			call.In, call.Out = make([]byte, call.Bytes()), make([]byte, call.Bytes())
			d.Fill(call.In, c.Rank())
			all = append(all, started{c.Start(call), d, call.Out, c.Rank()})
		}
	}
	for _, s := range all {
		if err := s.h.Wait(); err != nil {
			return err
		}
		if n := s.d.Wrong(s.out, s.rank); n > 0 {
			return fmt.Errorf("%d wrong", n)
		}
	}
	return nil
}

func TestSplitLeavesOut(t *testing.T) {
	err := job(t, transport.Goroutine, 3, transport.Options{}, func(c *engine.Comm) error {
		color := 0
		if c.Rank() == 1 {
			color = -1
		}
		g, err := c.Split(color, 0)
		if err != nil || (g == nil) != (c.Rank() == 1) {
			return fmt.Errorf("rank %d: %v %v", c.Rank(), g, err)
		}
		if g == nil {
			return nil
		}
		return g.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPairs sends messages of all sizes both ways between two ranks while a
// third does nothing.
func TestPairs(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Goroutine, transport.Shm, transport.TCP} {
		err := job(t, kind, 3, transport.Options{}, func(c *engine.Comm) error {
			for _, n := range []int{0, 1, 1000, 1 << 20} {
				b := bytes.Repeat([]byte{byte(n + c.Rank())}, n)
				var err error
				switch c.Rank() {
				case 0:
					if err = c.Send(b, n/4, reduce.F32, 2); err == nil {
						err = c.Recv(b, n/4, reduce.F32, 2)
					}
				case 2:
					got := make([]byte, n)
					if err = c.Recv(got, n/4, reduce.F32, 0); err == nil {
						err = c.Send(got, n/4, reduce.F32, 0)
					}
				}
				if err != nil {
					return err
				}
			}
			return c.Barrier()
		})
		if err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// TestRandomCalls runs random calls for a while, the same on all ranks.
func TestRandomCalls(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Goroutine, transport.Shm, transport.Mixed} {
		n := 4
		o := transport.Options{}
		if kind == transport.Mixed {
			o.Shape = &transport.Shape{Nodes: 2, PerNode: 2}
		}
		err := job(t, kind, n, o, func(c *engine.Comm) error {
			rng := rand.New(rand.NewPCG(1, uint64(kind)))
			for i := range 150 {
				op := collective.Op(rng.IntN(int(collective.Send)))
				call := engine.Call{Op: op, Type: reduce.DType(rng.IntN(int(reduce.NumDTypes))), Root: rng.IntN(n),
					Reduction: reduce.Op(rng.IntN(int(reduce.NumOps))), Count: rng.IntN(1 << rng.IntN(19))}
				if algs := steps.Algorithms(op); rng.IntN(2) == 0 {
					call.Algorithm = engine.Force(algs[rng.IntN(len(algs))])
				}
				if wrong, err := runExact(c, call, false); err != nil || wrong > 0 {
					return fmt.Errorf("call %d: %+v: %d wrong, %v", i, call, wrong, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

// TestDisagreementEndsAll gives one rank another call, in ways that leave the
// others waiting for messages that never come.
func TestDisagreementEndsAll(t *testing.T) {
	base := engine.Call{Op: collective.AllReduce, Type: reduce.F32, Count: 4096}
	for name, change := range map[string]func(c *engine.Call){
		"size":      func(c *engine.Call) { c.Count /= 2 },
		"type":      func(c *engine.Call) { c.Type = reduce.I32 },
		"operation": func(c *engine.Call) { c.Op, c.Root = collective.Broadcast, 2 },
		"reduction": func(c *engine.Call) { c.Reduction = reduce.Max },
	} {
		begin := time.Now()
		err := job(t, transport.Goroutine, 3, transport.Options{Timeout: time.Minute}, func(c *engine.Comm) error {
			call := base
			call.In, call.Out = make([]byte, base.Bytes()), make([]byte, base.Bytes())
			if c.Rank() == 2 {
				change(&call)
			}
			if err := c.Do(call); err != nil {
				return err
			}
			return c.Barrier()
		})
		if err == nil || strings.Count(err.Error(), "disagree") != 3 {
			t.Errorf("%s: got %v, want all three ranks to say so", name, err)
		}
		if took := time.Since(begin); took > 30*time.Second { // long before the deadline, on a busy machine too
			t.Errorf("%s: noticed after %v", name, took)
		}
	}
}

func TestSilenceMeetsTheDeadline(t *testing.T) {
	const timeout = 500 * time.Millisecond
	var others sync.WaitGroup
	others.Add(2)
	err := job(t, transport.Goroutine, 3, transport.Options{Timeout: timeout}, func(c *engine.Comm) error {
		if c.Rank() == 1 {
			others.Wait()
		} else {
			defer others.Done()
		}
		b := make([]byte, 64)
		return c.AllReduce(b, b, 16, reduce.F32, reduce.Sum)
	})
	if err == nil || !strings.Contains(err.Error(), "all_reduce #1, step") || !strings.Contains(err.Error(), "peer rank 1") {
		t.Errorf("got %v", err)
	}
}

func TestBadArguments(t *testing.T) {
	err := job(t, transport.Goroutine, 1, transport.Options{}, func(c *engine.Comm) error {
		b := make([]byte, 64)
		for want, call := range map[string]engine.Call{
			"input of 64 bytes: too short":        {Op: collective.AllReduce, Count: 100, In: b, Out: b},
			"output of 4 bytes: too short":        {Op: collective.AllReduce, Count: 16, In: b, Out: b[:4]},
			"cannot run in place":                 {Op: collective.AllToAll, Count: 16, In: b, Out: b},
			"root 3: out of range":                {Op: collective.Broadcast, Root: 3, In: b, Out: b},
			"does not serve":                      {Op: collective.Gather, Algorithm: engine.Force(steps.Ring), In: b, Out: b},
			"count -1: out of range":              {Op: collective.AllReduce, Count: -1, In: b, Out: b},
			"destination 7: out of range: want 0": {Op: collective.Send, Peer: 7, Count: 1, In: b},
		} {
			if err := c.Do(call); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
