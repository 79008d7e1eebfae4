package steps

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCheckNotices damages correct programs in one place each; the checker
// must object to all of them.
func TestCheckNotices(t *testing.T) {
	var specs []Spec
	for n := 2; n <= 6; n++ {
		everySpec(n, 2, func(s Spec) {
			if s.Count > n {
				specs = append(specs, s)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(specs).Draw(t, "spec")
		progs, err := BuildAll(s)
		if err != nil {
			t.Fatal(err)
		}
		r := rapid.IntRange(0, s.Ranks-1).Draw(t, "rank")
		if len(progs[r]) == 0 {
			return
		}
		p := slices.Clone(progs[r])
		i := rapid.IntRange(0, len(p)-1).Draw(t, "step")
		progs[r] = damage(p, i, rapid.IntRange(0, 3).Draw(t, "damage"))
		if Check(s, progs, false) == nil {
			t.Fatalf("%+v: rank %d step %d (%+v) damaged unnoticed", s, r, i, p[i])
		}
	})
}

func damage(p Program, i, how int) Program {
	switch how {
	case 0: // lost
		return slices.Delete(p, i, i+1)
	case 1: // done twice
		if p[i].Kind == Copy {
			return slices.Delete(p, i, i+1)
		}
		return slices.Insert(p, i, p[i])
	case 2: // one element short
		p[i].Src.Len = max(p[i].Src.Len-1, 0)
		p[i].Dst.Len = max(p[i].Dst.Len-1, 0)
	case 3: // late by a round
		p[i].Round++
		if p[i].Kind == Copy || p[i].Kind == Reduce {
			return slices.Delete(p, i, i+1)
		}
		slices.SortStableFunc(p, order)
	}
	return p
}
