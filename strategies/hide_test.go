package strategies

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware/unit"
)

// queue is the plain reading of overlap: n equal calls become ready one after
// another while w of work runs, the link serves them in turn after it has
// served busy seconds of another axis, and what is left when the work ends is
// exposed.
func queue(n int, one, w, busy float64) float64 {
	free := busy
	for i := 1; i <= n; i++ {
		ready := w * float64(i) / float64(n)
		free = math.Max(free, ready) + one
	}
	return free - w
}

// TestHideIsAQueue: without contention the closed form is the queue; with it,
// within one call's share of the work and the traffic.
func TestHideIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "calls")
		one := rapid.Float64Range(0.01, 2).Draw(t, "one")
		w := rapid.Float64Range(0, 40).Draw(t, "work")
		total := float64(n) * one
		got := float64(hide(unit.Seconds(total), unit.Seconds(one), unit.Seconds(w), 0))
		if want := queue(n, one, w, 0); math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("%d calls of %g beside %g: %g exposed, the queue has %g", n, one, w, got, want)
		}
		busy := rapid.Float64Range(0, 1).Draw(t, "busy") * w
		got = float64(hide(unit.Seconds(total), unit.Seconds(one), unit.Seconds(w-busy), 0))
		want := queue(n, one, w, busy)
		if got < want-1e-9*(1+want) || got > want+(w+busy)/float64(n)+1e-9+busy {
			t.Fatalf("%d calls of %g beside %g, link busy for %g: %g exposed, the queue has %g", n, one, w, busy, got, want)
		}
	})
}

// TestHideBounds: between the share that is never hidden and all of it.
func TestHideBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := unit.Seconds(rapid.Float64Range(0, 10).Draw(t, "total"))
		one := unit.Seconds(rapid.Float64Range(0, 1).Draw(t, "share")) * total
		w := unit.Seconds(rapid.Float64Range(0, 20).Draw(t, "work"))
		phi := rapid.Float64Range(0, 1).Draw(t, "phi")
		got := hide(total, one, w, phi)
		if got < total.Times(phi)-1e-12 || got > total+1e-12 || got < one-1e-12 {
			t.Fatalf("hide(%v, %v, %v, %g) = %v", total, one, w, phi, got)
		}
		if hide(total, one, w+1, phi) > got+1e-12 {
			t.Fatalf("more work hides less")
		}
	})
}
