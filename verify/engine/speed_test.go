package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"planner/verify/cores"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// BenchmarkAllReduce times the in-place f32 AllReduce of pinned ranks.
// SetBytes is M, so MB/s is algbw.
func BenchmarkAllReduce(b *testing.B) {
	for _, kind := range []transport.Kind{transport.Goroutine, transport.Shm, transport.TCP, transport.Unix} {
		for _, n := range []int{2, 4} {
			for _, size := range []int{8, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20} {
				b.Run(fmt.Sprintf("%v/n=%d/%d", kind, n, size), func(b *testing.B) {
					b.SetBytes(int64(size))
					err := job(b, kind, n, transport.Options{}, func(c *engine.Comm) error { return repeatAllReduce(b, c, size) })
					if err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// pin ties a rank to its core.
func pin(c *engine.Comm) (unpin func()) {
	core, _ := c.World().Core()
	if core < 0 {
		return func() {}
	}
	unpin, _ = cores.Pin(core)
	return unpin
}

// repeatAllReduce runs b.N calls after a few that warm up.
func repeatAllReduce(b *testing.B, c *engine.Comm, size int) error {
	defer pin(c)()
	buf, err := c.Alloc(size)
	if err != nil {
		return err
	}
	const warm = 5
	for i := range warm + b.N {
		if i == warm {
			if err := c.Barrier(); err != nil {
				return err
			}
			if c.Rank() == 0 {
				b.ResetTimer()
			}
		}
		if err := c.AllReduce(buf, buf, size/4, reduce.F32, reduce.Sum); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkCopy is what the memory can do: two pinned threads copy 64 MiB each.
func BenchmarkCopy(b *testing.B) {
	const size = 64 << 20
	b.SetBytes(size)
	var wg, ready sync.WaitGroup
	ready.Add(2)
	for r := range 2 {
		wg.Go(func() {
			unpin, _ := cores.Pin(cores.Numbers()[r%runtime.NumCPU()])
			defer unpin()
			x, y := make([]byte, size), make([]byte, size)
			for i := range x {
				x[i], y[i] = 1, 1
			}
			ready.Done()
			ready.Wait()
			if r == 0 {
				b.ResetTimer()
			}
			for range b.N {
				copy(x, y)
			}
		})
	}
	wg.Wait()
}

// TestSpeedTargets compares with what the memory of this machine can do. It
// needs two cores to itself, so it runs only where PLANNER_SPEED is set.
func TestSpeedTargets(t *testing.T) {
	if os.Getenv("PLANNER_SPEED") == "" {
		t.Skip("PLANNER_SPEED is not set")
	}
	const size, rounds = 64 << 20, 5
	var reduceTimes, copyTimes, smallTimes []float64
	err := job(t, transport.Shm, 2, transport.Options{}, func(c *engine.Comm) error {
		defer pin(c)()
		buf, err := c.Alloc(size)
		if err != nil {
			return err
		}
		from, to := make([]byte, size), make([]byte, size)
		for i := range from {
			from[i], to[i], buf[i] = 1, 1, 0
		}
		for range rounds {
			for _, x := range []struct {
				times *[]float64
				n     int
				f     func() error
			}{
				{&copyTimes, 3, func() error { copy(to, from); return nil }},
				{&reduceTimes, 3, func() error { return c.AllReduce(buf, buf, size/4, reduce.F32, reduce.Sum) }},
				{&smallTimes, 1000, func() error { return c.AllReduce(buf, buf, 256, reduce.F32, reduce.Sum) }},
			} {
				slow, err := timed(c, x.n, x.f)
				if err != nil {
					return err
				}
				if c.Rank() == 0 {
					*x.times = append(*x.times, slow)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mid := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
	ratio, small := mid(reduceTimes)/mid(copyTimes), mid(smallTimes)
	t.Logf("64 MiB in place %.2f ms, both threads copying 64 MiB %.2f ms, ratio %.2f; 1 KiB %.2f us",
		mid(reduceTimes)*1e3, mid(copyTimes)*1e3, ratio, small*1e6)
	if ratio > 1.25 {
		t.Errorf("64 MiB takes %.2f times a copy, want at most 1.25", ratio)
	}
	if small > 2e-6 {
		t.Errorf("1 KiB takes %.2f us, want at most 2", small*1e6)
	}
}

// timed returns the seconds per run of the slowest rank.
func timed(c *engine.Comm, n int, f func() error) (float64, error) {
	if err := c.Barrier(); err != nil {
		return 0, err
	}
	begin := time.Now()
	for range n {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return c.Slowest(time.Since(begin).Seconds() / float64(n))
}
