package transport

import (
	"fmt"
	"sync"
	"testing"

	"planner/verify/cores"
)

// BenchmarkMessage times a message there and back between two ranks on cores
// of their own: in turn, as a latency test does, and both ways at once, as the
// steps of a collective do. The sizes are on both sides of InlineMax.
func BenchmarkMessage(b *testing.B) {
	for _, pattern := range []string{"ping-pong", "exchange"} {
		for _, size := range []int{8, 64, 512, 1 << 10, 3 << 10, InlineMax, InlineMax + 64, 16 << 10} {
			b.Run(fmt.Sprintf("%s/%d", pattern, size), func(b *testing.B) {
				job, err := NewLocal(2, Options{})
				if err != nil {
					b.Fatal(err)
				}
				var wg sync.WaitGroup
				for r := range 2 {
					wg.Go(func() {
						if err := messages(b, job.World(r), pattern == "exchange", size); err != nil {
							b.Error(err)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// messages runs one rank's part of b.N turns.
func messages(b *testing.B, w World, exchange bool, size int) error {
	if core, own := w.Core(); own {
		unpin, _ := cores.Pin(core)
		defer unpin()
	}
	p, err := w.Open(1, []int{0, 1})
	if err != nil {
		return err
	}
	me, in, out := w.Rank(), make([]byte, size), make([]byte, size)
	send := func() error { return p.Send(1-me, out) }
	recv := func() error { return p.Recv(1-me, in, nil, nil) }
	first, second := send, recv
	if me == 1 && !exchange {
		first, second = recv, send
	}
	for range b.N {
		for i := 0; i < size; i += 64 { // new data, as a collective's are
			out[i]++
		}
		if err := p.Begin(Signature{Count: uint64(size)}, 1); err != nil {
			return err
		}
		if err := first(); err != nil {
			return err
		}
		if err := second(); err != nil {
			return err
		}
		if err := p.Flush(); err != nil {
			return err
		}
	}
	return p.Close()
}
