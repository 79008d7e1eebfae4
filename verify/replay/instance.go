package replay

import (
	"cmp"
	"slices"
	"time"
)

// Instance is one call as all its ranks saw it: Dur from the last rank's
// arrival to the end of the last rank, which is what a plan prices.
type Instance struct {
	Row int32 // of Plan.Calls
	Dur time.Duration
}

// instances joins the events of the ranks of each call.
func instances(ranks [][]event) []Instance {
	var all []event
	for _, e := range ranks {
		all = append(all, e...)
	}
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.seq, b.seq), cmp.Compare(a.row, b.row))
	})
	var out []Instance
	for i := 0; i < len(all); {
		k, last, end := i, all[i].begin, all[i].end
		for ; k < len(all) && all[k].group == all[i].group && all[k].seq == all[i].seq; k++ {
			last, end = max(last, all[k].begin), max(end, all[k].end)
		}
		for r := i; r < k; r++ {
			if r == i || all[r].row != all[r-1].row {
				out = append(out, Instance{Row: all[r].row, Dur: end - last})
			}
		}
		i = k
	}
	return out
}
