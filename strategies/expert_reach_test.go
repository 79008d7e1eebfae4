package strategies

import (
	"math"
	"math/rand/v2"
	"testing"

	"planner/costmodel"
)

// TestDestinations draws experts as a router does, and counts the ranks that hold
// them. DeepSeek-V3 on 8 ranks reaches 4·(1 − C(96, 8)/C(128, 8)) = 3.63.
func TestDestinations(t *testing.T) {
	v3 := costmodel.FFN{Experts: 256, TopK: 8, Groups: 8, TopGroups: 4}
	if got := destinations(&v3, 8); math.Abs(got-3.63) > 0.005 {
		t.Errorf("DeepSeek-V3 on 8 ranks: %.3f", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []costmodel.FFN{v3, {Experts: 8, TopK: 2}, {Experts: 160, TopK: 6, Groups: 8, TopGroups: 3}, {Experts: 128, TopK: 8}} {
		for _, ranks := range []int{1, 2, 4, 8, 16, 32} {
			if f.Experts%ranks != 0 {
				continue
			}
			sum, draws := 0, 20000
			for range draws {
				sum += reached(r, &f, ranks)
			}
			mean := float64(sum) / float64(draws)
			if got := destinations(&f, ranks); math.Abs(got-mean) > 0.01*mean+0.01 {
				t.Errorf("%+v on %d ranks: %.3f, drawn %.3f", f, ranks, got, mean)
			}
		}
	}
}

// reached draws the experts of one token and returns the ranks that hold them.
func reached(r *rand.Rand, f *costmodel.FFN, ranks int) int {
	groups, top := max(1, f.Groups), max(1, f.TopGroups)
	open, size := map[int]bool{}, f.Experts/groups
	for _, g := range r.Perm(groups)[:top] {
		open[g] = true
	}
	seen := map[int]bool{}
	for _, e := range r.Perm(f.Experts) {
		if !open[e/size] {
			continue
		}
		seen[e] = true
		if len(seen) == f.TopK {
			break
		}
	}
	hit := map[int]bool{}
	for e := range seen {
		hit[e*ranks/f.Experts] = true
	}
	return len(hit)
}
