package strategies

import (
	"slices"

	"planner/costmodel"
)

// frameworkRule is one thing that a framework may not be able to run. Broken is
// cheap, since a search asks it of every layout; say explains.
type frameworkRule struct {
	broken func(p *Problem, l *Layout, can *Capabilities) bool
	say    func(p *Problem, l *Layout, can *Capabilities) (given, what string, offers []string)
}

// runs reports whether a framework can run a layout that is legal otherwise.
func (p *Problem) runs(l *Layout, f *Profile) bool {
	for i := range frameworkRules {
		if frameworkRules[i].broken(p, l, &f.Can) {
			return false
		}
	}
	return !p.keepsAll(l, f)
}

func (p *Problem) checkFramework(l *Layout, f *Profile) *Violation {
	for i := range frameworkRules {
		if r := &frameworkRules[i]; r.broken(p, l, &f.Can) {
			given, what, offers := r.say(p, l, &f.Can)
			return offering(RuleFramework, given, f.Name+" "+what, offers...)
		}
	}
	if p.keepsAll(l, f) {
		return offering(RuleFramework, "recompute=selective", f.Name+" chooses by operation what to keep, which is modelled for layers of plain attention and a dense MLP alone",
			"use recompute=none", "use recompute=full")
	}
	return nil
}

// keepsAll reports whether selective recomputation is of operations and no layer
// has those that it chooses among, so that it would be no recomputation at all.
func (p *Problem) keepsAll(l *Layout, f *Profile) bool {
	if l.Recompute != RecomputeSelective || !f.Memory.SelectiveOps {
		return false
	}
	return !slices.ContainsFunc(p.Model.Kinds, func(k costmodel.Layer) bool { return k.KeepsOps() })
}

// slides reports layers with a sliding window, for which Transformer Engine
// refuses the ring (context_parallel.py, attn_forward_func_with_cp: windows need
// all_gather or a2a). Chunks are attended to one by one.
func slides(m *costmodel.Model) bool {
	return slices.ContainsFunc(m.Kinds, func(k costmodel.Layer) bool {
		return k.Mixer.Window > 0 && k.Mixer.Window < m.MaxSeq && !k.Mixer.ChunkedWindow
	})
}

// partialAttention reports layers whose mask or state does not survive a
// split of the sequence that knows causal masks only.
func partialAttention(m *costmodel.Model) bool {
	for i := range m.Kinds {
		x := &m.Kinds[i].Mixer
		if x.Window > 0 && x.Window < m.MaxSeq || x.Kind == costmodel.Linear || x.Kind == costmodel.Mamba2 {
			return true
		}
	}
	return false
}
