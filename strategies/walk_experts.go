package strategies

import (
	"slices"
	"strconv"
)

// experts visits the folds of the experts, and the exchanges that need them.
func (w *walker) experts() {
	if v := w.p.checkNoExperts(w.s); v != nil {
		w.found.refuse(v.Rule, 1, func() *Violation { return v })
		return
	}
	folds := w.p.folds(w.s, w.l.TP, w.l.TP*w.l.CP*w.l.DP)
	if len(folds) == 0 {
		w.found.refuse(RuleExperts, 1, w.noFold)
	}
	for _, fold := range folds {
		w.l.EP, w.l.ETP = fold[0], fold[1]
		w.tried("ep", w.l.EP)
		for i, d := range w.s.Dispatchers {
			if i > 0 && (w.l.EP*w.l.ETP == 1 || !moe(w.p.Model)) {
				break
			}
			w.l.Dispatcher = d
			w.exchanges()
		}
	}
}

// noFold says why none of the degrees asked for deals the experts out.
func (w *walker) noFold() *Violation {
	l := w.l
	l.EP, l.ETP = 1, 1
	if w.s.EP != nil {
		l.EP = slices.Min(w.s.EP)
	}
	if w.s.ETP != nil {
		l.ETP = slices.Min(w.s.ETP)
	}
	return w.p.checkFold(&l)
}

// exchanges visits the ways in which context parallelism moves keys and values.
func (w *walker) exchanges() {
	for i, k := range w.s.CPKinds {
		if w.l.CP == 1 && i > 0 {
			break
		}
		w.l.CPKind = k
		if w.l.CP > 1 && k == CPA2A && !ulyssesFits(w.p.Model, &w.l) {
			w.found.refuse(RuleHeads, 1, func() *Violation { return w.p.checkSequence(&w.l, nil) })
			continue
		}
		w.batches()
	}
}

// checkNoExperts refuses degrees of expert parallelism for a dense model.
func (p *Problem) checkNoExperts(s *Space) *Violation {
	given, of := "ep", s.EP
	if allows(of, 1) {
		given, of = "etp", s.ETP
	}
	if moe(p.Model) || allows(of, 1) {
		return nil
	}
	return &Violation{Rule: RuleExperts, Given: given + "=" + strconv.Itoa(of[0]), Reason: "the model has no experts", Remedy: "leave " + given + " out"}
}
