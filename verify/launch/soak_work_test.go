//go:build unix

package launch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/launch"
	"planner/verify/reduce"
)

func init() { launch.Register("soak", soakWork) }

// soakOrders are what a soak wants of the ranks.
type soakOrders struct {
	Seed  uint64
	Calls int
}

// soakReport is what a rank says about itself, a line of standard error each.
type soakReport struct {
	Rank  int
	Ready bool // it is in the middle of its calls
	At    int64
	Calls int
	Elems int // compared
	Wrong int
	Err   string
}

func (r soakReport) write() {
	b, _ := json.Marshal(r)
	_, _ = os.Stderr.Write(append(b, '\n'))
}

// readyAfter is the call after which a rank says that it is ready.
const readyAfter = 5

// soakWork runs random calls, the same on all ranks, and compares every
// element. SIGUSR1 cuts all connections of the rank, SIGUSR2 makes its next
// call another than its peers make.
func soakWork(_ context.Context, j *launch.Job, args []byte) error {
	var o soakOrders
	if err := json.Unmarshal(args, &o); err != nil {
		return err
	}
	differ := onSignals()
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	r := soakReport{Rank: j.Rank}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	for r.Calls < o.Calls && err == nil && r.Wrong == 0 {
		call := randomCall(rng, c.Size())
		if differ.Load() {
			call.Count++
		}
		err = r.run(c, call)
		if r.Calls++; r.Calls == readyAfter {
			soakReport{Rank: j.Rank, Ready: true}.write()
		}
	}
	if err == nil {
		err = c.Close()
	}
	r.At = time.Now().UnixNano()
	if err != nil {
		r.Err = err.Error()
	}
	r.write()
	if r.Wrong > 0 {
		return fmt.Errorf("%d wrong elements", r.Wrong)
	}
	return err
}

func onSignals() *atomic.Bool {
	var differ atomic.Bool
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			if s == syscall.SIGUSR2 {
				differ.Store(true)
				continue
			}
			for fd := 3; fd < 100; fd++ { // fails on what is no socket
				_ = syscall.Shutdown(fd, syscall.SHUT_RDWR)
			}
		}
	}()
	return &differ
}

func randomCall(rng *rand.Rand, n int) engine.Call {
	op := collective.Op(rng.IntN(int(collective.Send)))
	call := engine.Call{Op: op, Type: reduce.DType(rng.IntN(int(reduce.NumDTypes))), Root: rng.IntN(n),
		Reduction: reduce.Op(rng.IntN(int(reduce.NumOps))), Count: rng.IntN(1 << rng.IntN(17))}
	if algs := steps.Algorithms(op); rng.IntN(2) == 0 {
		call.Algorithm = engine.Force(algs[rng.IntN(len(algs))])
	}
	return call
}

func (r *soakReport) run(c *engine.Comm, call engine.Call) error {
	s, err := c.Plan(call)
	if err != nil {
		return err
	}
	d := bench.NewData(s, call.Type, call.Reduction)
	in, out := steps.Lens(s, c.Rank())
	e := call.Type.Size()
	if call.In, err = c.Alloc(in * e); err != nil {
		return err
	}
	defer c.Free(call.In)
	if call.Out, err = c.Alloc(out * e); err != nil {
		return err
	}
	defer c.Free(call.Out)
	d.Fill(call.In, c.Rank())
	if err := c.Do(call); err != nil {
		return err
	}
	r.Elems += out
	r.Wrong += d.Wrong(call.Out, c.Rank())
	return nil
}
