package strategies

import "slices"

// stages visits the ways to cut the layers into chunks.
func (w *walker) stages() {
	most := max(1, w.p.Model.Layers()/w.l.PP)
	any := false
	for vpp := 1; vpp <= most; vpp++ {
		if vpp > 1 && w.l.PP == 1 {
			break
		}
		if !allows(w.s.VPP, vpp) {
			continue
		}
		w.l.VPP = vpp
		w.l.First, w.l.Last = w.s.First, w.s.Last
		if w.uneven && w.p.Model.Layers()%(w.l.PP*vpp) != 0 {
			w.l.First, w.l.Last, _ = splitFor(&w.l, w.p.Model.Layers())
		}
		if len(w.eval.chain(&w.l, nil).stages) == 0 {
			continue
		}
		any = true
		w.tried("vpp", vpp)
		w.schedules()
	}
	if !any {
		w.found.refuse(RuleLayers, 1, func() *Violation { return w.p.checkLayers(w.shortest(), w.p.Profiles[0]) })
	}
}

// shortest is the layout at hand with the fewest chunks that the space has.
func (w *walker) shortest() *Layout {
	l := w.l
	l.VPP = 1
	if w.s.VPP != nil {
		l.VPP = slices.Min(w.s.VPP)
	}
	return &l
}

// schedules visits those of the space that run the chunks at hand: interleaving
// with virtual stages, the others without. No pipeline has no schedule.
func (w *walker) schedules() {
	w.l.Schedule = OneFOneB
	if w.l.PP == 1 {
		w.experts()
		return
	}
	any := false
	for _, sched := range w.s.Schedules {
		if (sched == Interleaved) != (w.l.VPP > 1) {
			continue
		}
		any = true
		w.l.Schedule = sched
		w.experts()
	}
	if !any {
		l := w.l
		l.Schedule = w.s.Schedules[0]
		w.found.refuse(RuleLayers, 1, func() *Violation { return w.p.checkLayers(&l, w.p.Profiles[0]) })
	}
}
