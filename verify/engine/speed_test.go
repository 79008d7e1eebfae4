package engine_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

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

// repeatAllReduce runs b.N calls after a few that warm up.
func repeatAllReduce(b *testing.B, c *engine.Comm, size int) error {
	if c.Size() <= runtime.NumCPU() {
		defer engine.Pin(c.Rank())()
	}
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
			unpin := engine.Pin(r)
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
