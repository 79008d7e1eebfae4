package ask

import (
	"cmp"
	"context"
	"slices"

	"planner/hardware/unit"
	"planner/strategies"
)

// Nearest is the layout that comes closest to fitting, how much it lacks, and
// what would close the gap. Every change is estimated under the constraints of
// the search, but for those that it says it lifts.
type Nearest struct {
	Estimate strategies.Estimate
	Usable   unit.Bytes // the accelerator's, or --max-memory if less
	Missing  unit.Bytes
	Knobs    []Knob // changes after which something fits, fastest first
	Short    []Knob // changes that are not enough, the least short first
}

// Knob is one change, estimated again.
type Knob struct {
	Change string // the flag that makes it
	Memory unit.Bytes
	Usable unit.Bytes
	Fits   bool
	Step   unit.Seconds
	Cost   string // what it costs, in words
}

func (k *Knob) short() unit.Bytes { return k.Memory - k.Usable }

// NearestOf explains the last search of a, in which nothing fits; nil when
// something does, or nothing is legal.
func NearestOf(a *Answer, r *strategies.Result) *Nearest {
	if len(r.Ranking) > 0 || r.Least == nil {
		return nil
	}
	usable := a.Usable()
	n := &Nearest{Estimate: *r.Least, Usable: usable, Missing: r.Least.Memory.Total() - usable}
	for _, change := range []remedy{withoutLimits, moreGPUs, offloaded, leanGradients, shorterSequence, otherHardware} {
		switch k := change(a, r.Least); {
		case k == nil:
		case k.Fits:
			n.Knobs = append(n.Knobs, *k)
		default:
			n.Short = append(n.Short, *k)
		}
	}
	slices.SortStableFunc(n.Knobs, func(x, y Knob) int { return cmp.Compare(x.Step, y.Step) })
	slices.SortStableFunc(n.Short, func(x, y Knob) int { return cmp.Compare(x.short(), y.short()) })
	return n
}

// Usable returns the memory that the last search let a process use.
func (a *Answer) Usable() unit.Bytes { return usableOf(a, &a.searched) }

// usableOf returns the memory that a search of s lets a process use.
func usableOf(a *Answer, s *strategies.Space) unit.Bytes {
	if s.MaxMemory > 0 {
		return min(s.MaxMemory, a.Problem.Capacity())
	}
	return a.Problem.Capacity()
}

// best returns the fastest fitting estimate of a space, else the leanest.
func best(a *Answer, s strategies.Space) *strategies.Estimate {
	r := strategies.Search(context.Background(), a.Problem, s, strategies.Options{Top: 1})
	if len(r.Ranking) > 0 {
		return &r.Ranking[0]
	}
	return r.Least
}

// asked returns the best estimate of another question, nil where it is none or
// has no legal layout.
func asked(q Question, s strategies.Space) (*Answer, *strategies.Estimate) {
	a, err := Ask(q)
	if err != nil {
		return nil, nil
	}
	return a, best(a, s)
}

func knob(a *Answer, s *strategies.Space, e *strategies.Estimate, change, cost string) *Knob {
	k := &Knob{Change: change, Memory: e.Memory.Total(), Usable: usableOf(a, s), Step: e.Step, Cost: cost}
	k.Fits = k.Memory <= k.Usable
	return k
}
