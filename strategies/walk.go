package strategies

import "context"

// walker visits every layout of a part of the space.
type walker struct {
	ctx    context.Context
	p      *Problem
	s      *Space
	o      *Options
	eval   *evaluator
	found  *found
	l      Layout
	shards []int // divisors of the current DP·CP
	uneven bool
}

func newWalker(ctx context.Context, p *Problem, s *Space, o *Options) *walker {
	w := &walker{ctx: ctx, p: p, s: s, o: o, eval: newEvaluator(p), found: newFound()}
	w.uneven = unevenSearch(p, s)
	for _, k := range []string{"tp", "pp", "vpp", "cp", "ep", "dp", "zero", "shard", "mbs"} {
		w.found.tried[k] = map[int]bool{}
	}
	return w
}

// fewStages is the number of even pipeline degrees below which uneven splits
// are searched too: 61 layers have none, 94 have one.
const fewStages = 3

// unevenSearch reports whether the layers divide over so few pipeline degrees
// of the cluster that each other degree is tried with its nearest uneven split.
func unevenSearch(p *Problem, s *Space) bool {
	even := 0
	for _, pp := range divisors(p.Cluster.GPUs) {
		if pp > 1 && pp <= p.Model.Layers() && p.Model.Layers()%pp == 0 {
			even++
		}
	}
	return even < fewStages && s.First == 0 && s.Last == 0
}

func (w *walker) tried(dim string, v int) { w.found.tried[dim][v] = true }

// walk visits the layouts of one (TP, CP) pair.
func (w *walker) walk(part part) {
	w.eval.reset()
	w.tried("tp", part.tp)
	w.tried("cp", part.cp)
	for _, pp := range w.found.dividing(w.p, w.s.PP, func(pp int) Layout { return Layout{TP: part.tp, CP: part.cp, PP: pp} }) {
		if w.ctx.Err() != nil {
			break
		}
		dp := w.p.Cluster.GPUs / (part.tp * part.cp * pp)
		if dp < w.s.MinDP || w.s.MaxDP > 0 && dp > w.s.MaxDP {
			w.found.refuse(RuleExcluded, 1, func() *Violation {
				return &Violation{Rule: RuleExcluded, Given: pair("dp", dp), Reason: "outside the limits of dp", Remedy: "loosen --min-dp or --max-dp"}
			})
			continue
		}
		w.l = Layout{TP: part.tp, CP: part.cp, PP: pp, DP: dp, First: w.s.First, Last: w.s.Last}
		w.shards = divisors(w.l.DataRanks())
		w.tried("pp", pp)
		w.tried("dp", dp)
		w.stages()
	}
}

func (w *walker) batches() {
	for _, mbs := range w.s.MBS {
		w.l.MBS = mbs
		w.tried("mbs", mbs)
		if rule := w.p.batchRule(&w.l); rule != "" {
			w.found.refuse(rule, 1, func() *Violation { return w.p.checkBatch(&w.l, nil) })
			continue
		}
		w.states()
	}
}

// rest visits sequence parallelism, under the first framework that runs it.
func (w *walker) rest() {
	for i, sp := range w.s.SP {
		w.l.SP = sp && w.l.TP > 1
		if w.l.TP == 1 && i > 0 {
			break
		}
		if w.l.SP && w.p.Work.Seq/w.l.CP%w.l.TP != 0 {
			w.found.refuse(RuleSequence, 1, func() *Violation { return w.p.checkSequence(&w.l, nil) })
			continue
		}
		w.l.Recompute, w.l.FullLayers = RecomputeNone, 0
		profile := w.profile()
		if profile == nil {
			w.found.refuse(RuleFramework, len(w.s.Recompute), func() *Violation { return w.p.checkFramework(&w.l, w.p.Profiles[0]) })
			continue
		}
		w.recomputes(profile)
	}
}

// recomputes visits the granularities of recomputation under the framework that
// runs the layout without, or one that repeats anything.
func (w *walker) recomputes(profile *Profile) {
	for _, rec := range w.s.Recompute {
		if rec == RecomputeFull && w.s.FullLayers > w.p.Model.Layers() {
			w.found.refuse(RuleLayers, 1, w.tooManyLayers)
			continue
		}
		w.l.Recompute = rec
		w.l.FullLayers = 0
		if rec == RecomputeFull {
			w.l.FullLayers = w.s.FullLayers
		}
		w.l = w.p.Settle(w.l)
		repeats := profile
		if w.p.keepsAll(&w.l, profile) {
			repeats = w.profile()
		}
		if repeats == nil {
			w.found.refuse(RuleFramework, 1, func() *Violation { return w.p.checkFramework(&w.l, profile) })
			continue
		}
		w.visit(repeats)
	}
}

// tooManyLayers refuses to recompute more layers than there are.
func (w *walker) tooManyLayers() *Violation {
	l := w.l
	l.FullLayers = w.s.FullLayers
	return w.p.checkLayers(&l, nil)
}

// profile returns the first framework that can run the layout.
func (w *walker) profile() *Profile {
	for _, f := range w.p.Profiles {
		if w.p.runs(&w.l, f) {
			return f
		}
	}
	return nil
}

func (w *walker) visit(profile *Profile) {
	for _, x := range w.s.Exclude {
		if x.matches(&w.l) {
			w.found.refuse(RuleExcluded, 1, func() *Violation {
				return &Violation{Rule: RuleExcluded, Given: w.l.String(), Reason: "matches a pattern that is excluded", Remedy: "drop --exclude"}
			})
			return
		}
	}
	w.found.Legal++
	e := w.eval.estimate(&w.l, profile)
	w.found.add(&e, w.o)
}
