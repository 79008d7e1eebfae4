package transport

import (
	"strings"
	"testing"
	"time"
)

func TestDiffer(t *testing.T) {
	calls := func(counts ...uint64) []Signature {
		var list []Signature
		for _, n := range counts {
			list = append(list, Signature{Count: n})
		}
		return list
	}
	tests := []struct {
		name         string
		mine, theirs History
		call         uint32 // 0: they agree
		a, b         uint64
	}{
		{"nothing", History{}, History{}, 0, 0, 0},
		{"alike", History{Last: 3, Calls: calls(30, 20, 10)}, History{Last: 3, Calls: calls(30, 20, 10)}, 0, 0, 0},
		{"the same call", History{Last: 2, Calls: calls(20, 10)}, History{Last: 2, Calls: calls(21, 10)}, 2, 20, 21},
		{"I am ahead", History{Last: 4, Calls: calls(40, 30, 20)}, History{Last: 3, Calls: calls(31, 20)}, 3, 30, 31},
		{"I am behind", History{Last: 3, Calls: calls(31, 20)}, History{Last: 4, Calls: calls(40, 30, 20)}, 3, 31, 30},
		{"the first of two", History{Last: 2, Calls: calls(20, 10)}, History{Last: 2, Calls: calls(21, 11)}, 1, 10, 11},
		{"too far apart", History{Last: 20, Calls: calls(200)}, History{Last: 3, Calls: calls(31)}, 0, 0, 0},
	}
	for _, tt := range tests {
		call, a, b, ok := tt.mine.Differ(tt.theirs)
		if ok != (tt.call > 0) || call != tt.call || a.Count != tt.a || b.Count != tt.b {
			t.Errorf("%s: %d, %v, %v, %v", tt.name, call, a, b, ok)
		}
	}
}

// TestHistoryForgets keeps the last calls, latest first.
func TestHistoryForgets(t *testing.T) {
	p := &Port{abort: new(Abort), members: []int{0}, bells: make([]*bell, 1)}
	for i := range uint64(recalled + 3) {
		_ = p.Begin(Signature{Count: i + 1}, 1)
	}
	h := p.history()
	if h.Last != recalled+3 || len(h.Calls) != recalled || h.Calls[0].Count != recalled+3 || h.Calls[recalled-1].Count != 4 {
		t.Errorf("got %+v", h)
	}
}

// TestDataOfOneWhoGaveUpAreNotTaken: what a rank reads in place of a rank that
// has given up may have changed meanwhile.
func TestDataOfOneWhoGaveUpAreNotTaken(t *testing.T) {
	l, err := NewLocal(2, Options{Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var ports [2]*Port
	for r := range ports {
		if ports[r], err = l.World(r).Open(20, []int{0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int{8, InlineMax + 1} {
		for _, p := range ports {
			if err := p.Begin(Signature{Count: uint64(size)}, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := ports[0].Send(1, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		ports[0].bells[0].giveUp()
		err := ports[1].Recv(0, make([]byte, size), nil, nil)
		if small := size <= InlineMax; small != (err == nil) { // a slot keeps a small one
			t.Errorf("%d bytes: %v", size, err)
		}
		if err != nil && !strings.Contains(err.Error(), "rank 1, peer rank 0: it gave up the call") {
			t.Errorf("got %v", err)
		}
	}
}
