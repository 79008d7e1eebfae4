package costmodel

// typical returns the most frequent layer that has, and nil when none does;
// of two that are as frequent, the first.
func (m *Model) typical(has func(*Layer) bool) *Layer {
	var best *Layer
	most := 0
	for i, n := range m.KindCounts() {
		if n > most && has(&m.Kinds[i]) {
			most, best = n, &m.Kinds[i]
		}
	}
	return best
}

// attention returns the mixer of the usual attention layer, a zero one for a
// model without attention.
func (m *Model) attention() Mixer {
	l := m.typical(func(l *Layer) bool { return l.Mixer.Kind == Attention || l.Mixer.Kind == MLA })
	if l == nil {
		return Mixer{}
	}
	return l.Mixer
}

// Heads returns the query heads of the usual attention layer.
func (m *Model) Heads() int { return m.attention().Heads }

// KVHeads returns the key and value heads of the usual attention layer; with
// latent attention every head has its own.
func (m *Model) KVHeads() int { return m.attention().KVHeads }

// HeadDim returns the width of a query head of the usual attention layer.
func (m *Model) HeadDim() int { return m.attention().HeadDim }

// FFN returns the inner width of the dense MLP; of one routed expert where
// every layer has experts.
func (m *Model) FFN() int {
	if l := m.typical(func(l *Layer) bool { return l.FFN.Width > 0 && l.FFN.Experts == 0 }); l != nil {
		return l.FFN.Width
	}
	if l := m.sparse(); l != nil {
		return l.FFN.ExpertWidth
	}
	return 0
}

func (m *Model) sparse() *Layer {
	return m.typical(func(l *Layer) bool { return l.FFN.Experts > 0 })
}

// Experts returns the routed experts of a sparse layer, 0 for a dense model.
func (m *Model) Experts() int {
	if l := m.sparse(); l != nil {
		return l.FFN.Experts
	}
	return 0
}

// ExpertsPerToken returns the routed experts that each token meets in a sparse
// layer, 0 for a dense model.
func (m *Model) ExpertsPerToken() int {
	if l := m.sparse(); l != nil {
		return l.FFN.TopK
	}
	return 0
}

// MTPParameters returns the parameters of the multi-token-prediction layers:
// each a layer, a projection of 2h to h and three norms, with the embedding
// and the head of the model (DeepSeek-V3, arXiv 2412.19437, section 2.2).
func (m *Model) MTPParameters() int64 {
	h, n := int64(m.Hidden), int64(0)
	for i := range m.MTP {
		n += m.MTP[i].Params(m.Hidden).Total() + 2*h*h + 3*h
	}
	return n
}
