package knobs

import "planner/strategies"

// alone is followed by nothing but the data ranks.
func alone(_ *strategies.Problem, _, now strategies.Layout) []strategies.Layout { return one(now) }

// tensor carries ETP along where it was TP, and SP to where it has none to act
// on and back: on above 1, off where the framework does not have it.
func tensor(_ *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	if was.ETP == was.TP {
		now.ETP = now.TP
	}
	now.SP = now.TP > 1 && (was.SP || was.TP == 1)
	without := now
	without.SP = false
	if was.TP > 1 || !now.SP {
		return one(now)
	}
	return []strategies.Layout{now, without}
}

// contextual takes, from CP 1 on, the first exchange that the framework runs.
func contextual(_ *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	if was.CP > 1 {
		return one(now)
	}
	var out []strategies.Layout
	for _, k := range []strategies.CPKind{strategies.CPP2P, strategies.CPAllGather, strategies.CPA2A} {
		now.CPKind = k
		out = append(out, now)
	}
	return out
}

// staged drops what a lower stage does not have: the secondary shard and the
// offload of parameters are ZeRO-3's, and stage 0 splits and offloads nothing.
func staged(_ *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	if now.Zero < 3 {
		now.HPZ, now.Offload = 0, min(now.Offload, strategies.OffloadOptimizer)
	}
	if now.Zero == 0 {
		now.Offload = strategies.OffloadNone
	}
	return one(now)
}

// virtual keeps the split of the layers where it still holds.
func virtual(p *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	return cuts(p, was, now)
}

// pipeline keeps the virtual stages and the split of the layers where they
// still hold; else it takes another split, and then the next fewer virtual
// stages.
func pipeline(p *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	var out []strategies.Layout
	for v := was.VPP; v >= 1; v-- {
		now.VPP = v
		out = append(out, cuts(p, was, now)...)
	}
	return out
}

// cuts returns a layout with the split of the layers as it was, even, and
// nearest to even. Its schedule is kept unless virtual stages came or went.
func cuts(p *strategies.Problem, was, now strategies.Layout) []strategies.Layout {
	if (was.VPP > 1) != (now.VPP > 1) {
		now.Schedule = strategies.DefaultSchedule(now.VPP)
	}
	out := one(now)
	even := now
	even.First, even.Last = 0, 0
	if even != now {
		out = append(out, even)
	}
	if first, last, ok := split(p.Model.Layers(), now.PP, now.VPP); ok {
		even.First, even.Last = first, last
		out = append(out, even)
	}
	return out
}
