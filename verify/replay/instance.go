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
func instances(ranks []*reply) []Instance {
	var all []event
	for _, r := range ranks {
		all = append(all, r.Events...)
	}
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Row, b.Row))
	})
	var out []Instance
	for i := 0; i < len(all); {
		k, last, end := i, all[i].Begin, all[i].End
		for ; k < len(all) && all[k].Group == all[i].Group && all[k].Seq == all[i].Seq; k++ {
			last, end = max(last, all[k].Begin), max(end, all[k].End)
		}
		for r := i; r < k; r++ {
			if r == i || all[r].Row != all[r-1].Row {
				out = append(out, Instance{Row: all[r].Row, Dur: end - last})
			}
		}
		i = k
	}
	return out
}
