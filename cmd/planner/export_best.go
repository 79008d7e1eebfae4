package main

import (
	"cmp"
	"context"
	"fmt"

	"planner/internal/ask"
	"planner/internal/export"
	"planner/strategies"
)

// found is the layout that an export without one writes.
type found struct {
	*strategies.Estimate
	best *strategies.Estimate // of the whole ranking
	gaps []string             // keys that the target cannot express; nil: none
}

// tops are how many layouts of the ranking are looked through before the search
// is made again for more; 0 stands for all.
var tops = []int{64, 4096, 0}

// expressible searches for the fastest layout that a target expresses; where
// none that fits is, for the fastest that it can run at all.
func expressible(ctx context.Context, a *ask.Answer, target string, p export.Plan) (*found, error) {
	var partly *found
	var why string
	for _, top := range tops {
		r := a.Search(ctx, strategies.Space{}, strategies.Options{Top: top, KeepAll: top == 0})
		if r.Interrupted {
			return nil, errInterrupted
		}
		if r.Fitting == 0 {
			return nil, errNoneFits
		}
		for i := range r.Ranking {
			e := &r.Ranking[i]
			p.Problem, p.Layout, p.Profile = a.Problem, e.Layout, e.Framework
			gaps, refused := export.Gaps(target, &p)
			switch {
			case refused != "":
				why = cmp.Or(why, refused)
			case gaps == nil:
				return &found{e, &r.Ranking[0], nil}, nil
			case partly == nil:
				partly = &found{e, &r.Ranking[0], gaps}
			}
		}
		if len(r.Ranking) == r.Fitting {
			break
		}
	}
	if partly == nil {
		return nil, &noError{fmt.Sprintf("no layout that fits is one that --to %s can run, the best for this: %s; planner suggest ranks what fits", target, why)}
	}
	return partly, nil
}

// note says what is faster and what is left out, if anything.
func (f *found) note(target string) string {
	slower := ""
	if f.Estimate != f.best {
		slower = fmt.Sprintf("; the best is %s, %.2f s", f.best.Layout, f.best.Step)
	}
	switch {
	case f.gaps != nil:
		return fmt.Sprintf("none that fits is expressed whole by %s: this is the fastest that it runs, %.2f s%s", target, f.Step, slower)
	case slower != "":
		return fmt.Sprintf("the fastest that %s expresses, %.2f s%s", target, f.Step, slower)
	}
	return ""
}
