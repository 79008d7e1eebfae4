package strategies

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware/unit"
)

// queue is the plain reading of overlap: n equal calls become ready one after
// another while w of work runs, the link serves them in turn, and what is left
// when the work ends is exposed.
func queue(n int, one, w float64) float64 {
	free := 0.0
	for i := 1; i <= n; i++ {
		free = math.Max(free, w*float64(i)/float64(n)) + one
	}
	return free - w
}

func TestHideIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "calls")
		one := rapid.Float64Range(0.01, 2).Draw(t, "one")
		w := rapid.Float64Range(0, 40).Draw(t, "work")
		got := float64(hide(unit.Seconds(float64(n)*one), unit.Seconds(one), unit.Seconds(w), 0, 0))
		if want := queue(n, one, w); math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("%d calls of %g beside %g: %g exposed, the queue has %g", n, one, w, got, want)
		}
	})
}

// shared is the plain reading of contention: work of n turns, each a call of
// another axis and then computation, beside a stream of bytes that the link
// needs t for alone. Both on the link have half of it.
func shared(n int, t, w, busy float64) float64 {
	clock, call, compute := 0.0, busy/float64(n), (w-busy)/float64(n)
	for range n {
		both := math.Min(t, call)
		t -= both
		clock += call + both
		t -= math.Min(t, compute)
		clock += compute
	}
	return clock + t - w
}

func TestHideSharesLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "turns")
		w := rapid.Float64Range(0.1, 10).Draw(t, "work")
		busy := rapid.Float64Range(0, 1).Draw(t, "busy") * w
		total := rapid.Float64Range(0, 20).Draw(t, "total")
		got := float64(hide(unit.Seconds(total), 0, unit.Seconds(w), unit.Seconds(busy), 0))
		if want := shared(n, total, w, busy); math.Abs(got-want) > w/float64(n)+1e-9 {
			t.Fatalf("%g beside %g, of which %g on the link in %d turns: %g exposed, want %g", total, w, busy, n, got, want)
		}
	})
}

// TestHideBounds: between the share that is never hidden and all of it.
func TestHideBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := unit.Seconds(rapid.Float64Range(0, 10).Draw(t, "total"))
		one := unit.Seconds(rapid.Float64Range(0, 1).Draw(t, "share")) * total
		w := unit.Seconds(rapid.Float64Range(0, 20).Draw(t, "work"))
		busy := unit.Seconds(rapid.Float64Range(0, 1).Draw(t, "busy")) * w
		phi := rapid.Float64Range(0, 1).Draw(t, "phi")
		got := hide(total, one, w, busy, phi)
		if got < total.Times(phi)-1e-12 || got > total+1e-12 || got < one-1e-12 {
			t.Fatalf("hide(%v, %v, %v, %v, %g) = %v", total, one, w, busy, phi, got)
		}
		if hide(total, one, w+1, busy, phi) > got+1e-12 {
			t.Fatalf("more work hides less")
		}
	})
}
