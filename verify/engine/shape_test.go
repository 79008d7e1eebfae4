package engine_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// fastest returns the shortest of several runs of call, started together.
func fastest(c *engine.Comm, call engine.Call, runs int) (time.Duration, error) {
	best := time.Duration(math.MaxInt64)
	for range runs {
		if err := c.Barrier(); err != nil {
			return 0, err
		}
		begin := time.Now()
		if err := c.Do(call); err != nil {
			return 0, err
		}
		best = min(best, time.Since(begin))
	}
	return best, nil
}

// quiet reports whether PLANNER_SPEED says that the cores are free: only then
// is a late call a fault of ours. An early one always is.
func quiet() bool { return os.Getenv("PLANNER_SPEED") != "" }

// TestShapedBandwidth compares calls over emulated links with the time that
// their bytes take at the link's rate.
func TestShapedBandwidth(t *testing.T) {
	const m = 2 << 20
	const rate = 50e6
	for _, tt := range []struct {
		kind  transport.Kind
		shape string
		op    collective.Op
		alg   steps.Algorithm
		bytes float64 // through the busiest port
	}{
		{transport.Goroutine, "2x1:ib=50MB/s", collective.AllReduce, steps.Ring, m},            // 2(N-1)/N·M
		{transport.Goroutine, "2x1:ib=50MB/s", collective.Broadcast, steps.Flat, m},            // M
		{transport.Goroutine, "1x2:nvlink=50MB/s", collective.AllGather, steps.Ring, m / 2},    // (N-1)/N·M
		{transport.Goroutine, "1x4:nvlink=50MB/s", collective.Gather, steps.Direct, m * 3 / 4}, // fan-in: the root's port
		{transport.Goroutine, "2x2:ib=50MB/s,nics=1", collective.AllToAll, steps.Direct, m},    // 2 ranks × 2 peers × M/4 on one NIC
		{transport.Goroutine, "2x2:ib=50MB/s", collective.AllToAll, steps.Direct, m / 2},       // 2 peers × M/4
		{transport.Shm, "2x1:ib=50MB/s", collective.AllReduce, steps.Ring, m},
		{transport.Mixed, "2x1:ib=50MB/s", collective.AllReduce, steps.Ring, m},
	} {
		t.Run(fmt.Sprintf("%v/%s/%v", tt.kind, tt.shape, tt.op), func(t *testing.T) {
			shape, err := transport.ParseShape(tt.shape)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.bytes / rate
			err = job(t, tt.kind, shape.Ranks(), transport.Options{Shape: shape}, func(c *engine.Comm) error {
				in, err1 := c.Alloc(m)
				out, err2 := c.Alloc(m)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				call := engine.Call{Op: tt.op, Type: reduce.F32, Count: m / 4, Algorithm: engine.Force(tt.alg), In: in, Out: out}
				slow := math.Inf(1)
				for try := 0; try < 6 && math.Abs(slow/want-1) > 0.02; try++ { // other programs use the cores too
					got, err := fastest(c, call, 4)
					if err != nil {
						return err
					}
					if slow, err = c.Slowest(got.Seconds()); err != nil {
						return err
					}
				}
				if c.Rank() == 0 && (slow < 0.98*want || slow > 1.02*want && quiet()) {
					t.Errorf("took %.2f ms, want %.2f ms within 2 %%", slow*1e3, want*1e3)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestShapedDelay(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs a core per rank")
	}
	const delay = 500 * time.Microsecond
	shape, err := transport.ParseShape("2x1:delay=500us")
	if err != nil {
		t.Fatal(err)
	}
	err = job(t, transport.Goroutine, 2, transport.Options{Shape: shape}, func(c *engine.Comm) error {
		defer pin(c)()
		b := make([]byte, 8)
		best := time.Hour
		for range 200 {
			begin := time.Now()
			for i := range 2 { // there and back
				var err error
				if c.Rank() == i {
					err = c.Send(b, 2, reduce.F32, 1-i)
				} else {
					err = c.Recv(b, 2, reduce.F32, 1-c.Rank())
				}
				if err != nil {
					return err
				}
			}
			best = min(best, time.Since(begin)/2)
		}
		if c.Rank() == 0 && (best < delay || best > delay+20*time.Microsecond && quiet()) {
			t.Errorf("one way took %v, want %v within 20 µs", best, delay)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTooFastShapeIsRefused(t *testing.T) {
	for rate, ok := range map[string]bool{"20MB/s": true, "4000GB/s": false} {
		shape, err := transport.ParseShape("2x1:ib=" + rate)
		if err != nil {
			t.Fatal(err)
		}
		err = job(t, transport.Goroutine, 2, transport.Options{Shape: shape}, func(c *engine.Comm) error {
			return engine.CheckShape(c.World(), shape)
		})
		if (err == nil) != ok {
			t.Errorf("%s: got %v", rate, err)
		}
		if err != nil && !strings.Contains(err.Error(), "this machine moves") {
			t.Errorf("%s: %v: names no figure", rate, err)
		}
	}
}
