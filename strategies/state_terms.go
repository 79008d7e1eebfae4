package strategies

import "planner/hardware/unit"

// StateTerm is one product of those that the state of a rank adds up from:
//
//	Parameters × Each / Ranks
type StateTerm struct {
	Component  string  // weights, gradients, master or moments
	Of         string  // which parameters, "" for the dense ones
	Parameters float64 // held by a rank before ZeRO splits them
	Each       float64 // bytes
	Ranks      int     // that ZeRO splits them over
}

// Bytes returns what the term takes.
func (t *StateTerm) Bytes() unit.Bytes { return unit.Bytes(t.Parameters * t.Each / float64(t.Ranks)) }

// stateTerms spells out what stateMemory adds up; a test holds them equal.
func (s *site) stateTerms(h *held) []StateTerm {
	b, l, trained := &s.prof.Memory, &s.l, s.p.Work.Trained()
	if s.p.Work.Forward {
		trained = 0
	}
	var out []StateTerm
	for _, part := range []struct {
		of    string
		n     float64
		shard int
	}{{"", h.dense, l.Shard}, {"experts", h.expert, expertShard(l)}} {
		add := func(component, of string, from int, n, each float64) {
			t := StateTerm{component, of, n, each, 1}
			if l.Zero >= from {
				t.Ranks = part.shard
			}
			if n*each > 0 {
				out = append(out, t)
			}
		}
		weight, master := s.weightBytes()
		add("weights", part.of, 3, part.n, weight)
		add("weights", frozen(part.of), 1, part.n*(1-trained), s.frozenBytes())
		add("gradients", part.of, 2, part.n*trained, s.prof.GradBytes(&s.p.Work))
		add("master", part.of, 1, part.n*trained, master)
		add("moments", part.of, 1, part.n*trained, s.momentBytes())
	}
	if low := s.p.low * b.LowCopies; low > 0 {
		out = append(out, StateTerm{"weights", "layers, quantised", h.dense - h.root + h.expert, low, 1})
	}
	return s.onDevice(out)
}

func frozen(of string) string {
	if of == "" {
		return "frozen parameters"
	}
	return "frozen " + of
}

// onDevice leaves out what offload moves to host memory.
func (s *site) onDevice(terms []StateTerm) []StateTerm {
	var out []StateTerm
	for _, t := range terms {
		kept := s.l.Offload == OffloadOptimizer && s.l.Zero == 1 && t.Component == "gradients"
		if kept {
			t.Each = s.model.Size()
		}
		if s.l.Offload == OffloadNone || kept || s.l.Offload == OffloadOptimizer && t.Component == "weights" {
			out = append(out, t)
		}
	}
	return out
}
