package cores

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShare(t *testing.T) {
	set := func(c ...int) Set { return Set{Cores: c} }
	tests := []struct {
		name string
		sets []Set
		want []int
		own  bool
	}{
		{"unbound", []Set{set(0, 1), set(0, 1)}, []int{0, 1}, true},
		{"bound by a launcher", []Set{set(5), set(3)}, []int{5, 3}, true},
		{"bound to a socket each", []Set{set(0, 1), set(0, 1), set(2, 3), set(2, 3)}, []int{0, 1, 2, 3}, true},
		{"one moves for another", []Set{set(0, 1), set(0)}, []int{1, 0}, true},
		{"too few", []Set{set(0, 1), set(0, 1), set(0, 1)}, []int{0, 1, 0}, false},
		{"two on one core", []Set{set(0), set(0)}, []int{0, 0}, false},
		{"a quota", []Set{{set(0, 1, 2, 3).Cores, 1}, {set(0, 1, 2, 3).Cores, 1}}, []int{0, 1}, false},
		{"one knows no cores", []Set{{}, set(1)}, []int{-1, 1}, false},
		{"nobody", nil, []int{}, true},
	}
	for _, tt := range tests {
		if got, own := Share(tt.sets); !slices.Equal(got, tt.want) || own != tt.own {
			t.Errorf("%s: got %v %v, want %v %v", tt.name, got, own, tt.want, tt.own)
		}
	}
}

// TestShareIsHall holds Share against Hall's theorem: there is a core for each
// exactly when every group of processes may use at least as many cores as it
// has members.
func TestShareIsHall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := make([]Set, rapid.IntRange(1, 6).Draw(t, "processes"))
		for i := range sets {
			sets[i].Cores = rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 1, 4, rapid.ID[int]).Draw(t, "cores")
		}
		enough := true
		for group := range 1 << len(sets) {
			cores, members := map[int]bool{}, 0
			for i, s := range sets {
				if group>>i&1 == 1 {
					members++
					for _, c := range s.Cores {
						cores[c] = true
					}
				}
			}
			enough = enough && len(cores) >= members
		}
		cores, own := Share(sets)
		if own != enough {
			t.Fatalf("Share(%v) = %v, %v, enough cores: %v", sets, cores, own, enough)
		}
		for i, c := range cores {
			if !slices.Contains(sets[i].Cores, c) || own && slices.Contains(cores[:i], c) {
				t.Fatalf("Share(%v) = %v", sets, cores)
			}
		}
	})
}
