package timeline_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/costmodel"
	"planner/costmodel/timeline"
)

// spell writes an order as F0 F1 B0 …, with the chunk as a letter when there
// are several.
func spell(order []timeline.Slot, chunks int) string {
	var out []string
	for _, s := range order {
		x := fmt.Sprintf("%c%d", "FBW"[s.Kind], s.Micro)
		if chunks > 1 {
			x += string(rune('a' + s.Chunk))
		}
		out = append(out, x)
	}
	return strings.Join(out, " ")
}

// TestOrder holds orders against the figures of the papers: 1F1B and
// interleaved after Narayanan et al. 2021, figure 4, ZB-H1 after Qi et al.
// 2023, figure 2, GPipe after Huang et al. 2019, figure 2.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		s          costmodel.Schedule
		rank, p, v int
		m          int
		want       string
	}{
		{costmodel.GPipe, 1, 2, 1, 3, "F0 F1 F2 B0 B1 B2"},
		{costmodel.OneFOneB, 0, 4, 1, 6, "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5"},
		{costmodel.OneFOneB, 3, 4, 1, 4, "F0 B0 F1 B1 F2 B2 F3 B3"},
		{costmodel.OneFOneB, 0, 4, 1, 2, "F0 F1 B0 B1"},
		{costmodel.Interleaved, 0, 2, 2, 4, "F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a"},
		{costmodel.Interleaved, 1, 2, 2, 4, "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a"},
		{costmodel.Interleaved, 1, 2, 2, 2, "F0a F1a F0b B0b F1b B1b B0a B1a"},
		{costmodel.ZBH1, 0, 3, 1, 4, "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3"},
		{costmodel.ZBH1, 2, 3, 1, 4, "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3"},
	} {
		if got := spell(timeline.Order(c.s, c.rank, c.p, c.v, c.m), c.v); got != c.want {
			t.Errorf("%s rank %d of %d, v=%d, m=%d:\n got %s\nwant %s", c.s, c.rank, c.p, c.v, c.m, got, c.want)
		}
	}
}

// TestOrderComplete checks that every rank runs every pass once, forward before
// backward before weight, and holds no more micro-batches than the schedule
// promises: p−i under 1F1B, p under ZB-H1, 2(p−i−1)+(v−1)p+1 chunks of a v-th
// interleaved.
func TestOrderComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, v, m := shape(t)
		rank := rapid.IntRange(0, p-1).Draw(t, "rank")
		seen := map[timeline.Slot]bool{}
		held, most := 0, 0
		release := timeline.Backward
		if s == costmodel.ZBH1 {
			release = timeline.Weight
		}
		for _, x := range timeline.Order(s, rank, p, v, m) {
			if seen[x] {
				t.Fatalf("%v twice", x)
			}
			seen[x] = true
			before := x
			before.Kind--
			if x.Kind != timeline.Forward && !seen[before] {
				t.Fatalf("%v before %v", x, before)
			}
			switch x.Kind {
			case timeline.Forward:
				held++
			case release:
				held--
			}
			most = max(most, held)
		}
		if want := m * v * (1 + int(release)); len(seen) != want {
			t.Fatalf("%d passes, want %d", len(seen), want)
		}
		limit := map[costmodel.Schedule]int{costmodel.GPipe: m, costmodel.OneFOneB: p - rank, costmodel.ZBH1: p,
			costmodel.Interleaved: 2*(p-rank-1) + (v-1)*p + 1}[s]
		if most > min(limit, m*v) {
			t.Fatalf("%d in flight, want at most %d", most, limit)
		}
	})
}
