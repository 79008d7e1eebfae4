package strategies

import (
	"slices"
)

// states visits the ways to split the state. A shard of 1 splits nothing: it
// is the replication of stage 0, and left to it.
func (w *walker) states() {
	if len(w.s.Zero) == 0 {
		w.found.refuse(RuleShard, 1, func() *Violation {
			return &Violation{Rule: RuleShard, Given: "--pass forward", Reason: "has no gradients or optimizer state to split", Remedy: "use zero=0 or 3"}
		})
	}
	for _, zero := range w.s.Zero {
		w.l.Zero = zero
		w.tried("zero", zero)
		if zero == 0 {
			w.l.Shard = w.l.DataRanks()
			w.unsplit()
			continue
		}
		any := false
		for _, shard := range w.shards {
			if shard == 1 || !allows(w.s.Shard, shard) {
				continue
			}
			any = true
			w.l.Shard = shard
			w.tried("shard", shard)
			w.offloads()
		}
		if !any && (w.s.Shard != nil || !slices.Contains(w.s.Zero, 0)) {
			w.found.refuse(RuleShard, 1, w.noShard)
		}
	}
}

// unsplit visits stage 0, which has no shard, no secondary one and nothing to
// offload.
func (w *walker) unsplit() {
	l := w.l
	if !slices.Contains(w.s.HPZ, 0) {
		l.HPZ = w.s.HPZ[0]
	}
	if !slices.Contains(w.s.Offload, OffloadNone) {
		l.Offload = w.s.Offload[0]
	}
	if w.s.Shard != nil && !slices.Contains(w.s.Shard, l.Shard) {
		l.Shard = w.s.Shard[0]
	}
	if v := w.p.checkShard(&l, nil); v != nil {
		w.found.refuse(v.Rule, 1, func() *Violation { return v })
		return
	}
	w.l.Offload, w.l.HPZ = OffloadNone, 0
	w.rest()
}

// noShard says why none of the shards asked for splits the state at hand.
func (w *walker) noShard() *Violation {
	l := w.l
	l.Shard = 1
	if w.s.Shard != nil {
		l.Shard = slices.Max(w.s.Shard)
	}
	if v := w.p.checkShard(&l, nil); v != nil {
		return v
	}
	if l.DataRanks() == 1 {
		return &Violation{Rule: RuleShard, Given: pair("zero", l.Zero), Reason: "one rank of dp·cp splits nothing", Remedy: "use zero=0"}
	}
	return &Violation{Rule: RuleShard, Given: pair("shard", l.Shard), Reason: "splits nothing", Remedy: "use zero=0, or a larger shard"}
}

func (w *walker) offloads() {
	for _, off := range w.s.Offload {
		w.l.Offload = off
		if off == OffloadAll && w.l.Zero != 3 {
			w.found.refuse(RuleShard, 1, func() *Violation { return w.p.checkShard(&w.l, nil) })
			continue
		}
		for _, hpz := range w.s.HPZ {
			w.l.HPZ = hpz
			if hpz > 0 && (w.l.Zero != 3 || w.l.Shard%hpz != 0 || off == OffloadAll) {
				w.found.refuse(RuleShard, 1, func() *Violation { return w.p.checkShard(&w.l, nil) })
				continue
			}
			w.rest()
		}
	}
}
