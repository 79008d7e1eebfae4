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

// BenchmarkAllReduce times the in-place f32 AllReduce of pinned goroutines.
// SetBytes is M, so MB/s is algbw.
func BenchmarkAllReduce(b *testing.B) {
	for _, n := range []int{2, 4} {
		for _, size := range []int{8, 1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20} {
			b.Run(fmt.Sprintf("n=%d/%d", n, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				l, err := transport.NewLocal(n, transport.Options{})
				if err != nil {
					b.Fatal(err)
				}
				var wg sync.WaitGroup
				for r := range n {
					wg.Go(func() {
						if n <= runtime.NumCPU() {
							unpin := engine.Pin(r)
							defer unpin()
						}
						c, _ := engine.New(l.World(r))
						buf, _ := c.Alloc(size)
						for i := range 5 + b.N {
							if i == 5 {
								_ = c.Barrier()
								if r == 0 {
									b.ResetTimer()
								}
							}
							if err := c.AllReduce(buf, buf, size/4, reduce.F32, reduce.Sum); err != nil {
								b.Error(err)
								return
							}
						}
						_ = c.Close()
					})
				}
				wg.Wait()
			})
		}
	}
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
