package collective

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
	"planner/hardware/unit"
)

// playRing plays an all-gather round a ring of k nodes of g ranks, message by
// message: a link between nodes takes busy for each and delivers it wait
// later, links inside take no time. A rank sends on what it received.
func playRing(g, k int, busy, wait float64) float64 {
	n := g * k
	free, have := make([]float64, n), make([]float64, n) // of the link behind each rank; of what it sends next
	end := 0.0
	for range n - 1 {
		got := make([]float64, n)
		for r := range n {
			at := math.Max(free[r], have[r])
			if r%g == g-1 {
				free[r] = at + busy
				at += busy + wait
			} else {
				free[r] = at
			}
			got[(r+1)%n] = at
			end = math.Max(end, at)
		}
		have = got
	}
	return end
}

// Rings over nodes whose steps are as stated are priced as they play out.
func TestRingPlaysOut(t *testing.T) {
	prior := Prior()
	rapid.Check(t, func(t *rapid.T) {
		g, k := rapid.IntRange(1, 8).Draw(t, "ranks"), rapid.IntRange(2, 8).Draw(t, "nodes")
		wait := rapid.Float64Range(1e-6, 1e-2).Draw(t, "wait")
		m := rapid.Float64Range(1e3, 1e9).Draw(t, "bytes")
		c := machine(hardware.NVLink, hardware.InfiniBand, g, k)
		all := hardware.StatedLatency | hardware.StatedReach | hardware.StatedP2P
		c.Tiers[0].Bandwidth, c.Tiers[0].Fit = 1e18, hardware.LinkFit{Reach: 1, P2P: 1, Stated: all}
		c.Tiers[1].Fit = hardware.LinkFit{Latency: unit.Seconds(wait), Reach: 1, P2P: 1, Stated: all}
		got := float64(NewFabric(c, &prior).With(Ring, AllGather, unit.Bytes(m), c.Span(1, g*k)).Seconds)
		// A ring of the group has the node's g ports: one message in turn on each.
		busy := m / float64(g*k) / (50e9 * float64(g))
		// Which of a link's g messages is the last to come costs at most those.
		if want := playRing(g, k, busy, wait); got > want*1.001 || got < want-float64(g)*busy {
			t.Fatalf("%d nodes of %d: %g s, played out %g s", k, g, got, want)
		}
	})
}
