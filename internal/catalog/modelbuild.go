package catalog

import "planner/costmodel"

// build turns a checked specification into a model.
func (s *modelSpec) build(name string) (*costmodel.Model, error) {
	s.setDefaults()
	if err := s.check(name); err != nil {
		return nil, err
	}
	m := &costmodel.Model{
		Name: name, Title: s.Title, Family: s.Family,
		Hidden: s.Hidden, Vocab: s.Vocab, MaxSeq: s.SeqLen, Positions: *s.Positions,
		Tied: s.Tied, HeadBias: s.HeadBias, FinalNorm: s.normSize(),
		Notes: s.Notes, Source: s.Source, AsOf: s.AsOf,
	}
	if s.EmbedNorm {
		m.EmbedNorm = s.normSize()
	}
	for i := range s.Layers {
		if !m.Append(s.layer(i)) {
			return nil, Errorf("%s: more than 256 kinds of layer: want at most 256", name)
		}
	}
	for range s.MTP {
		m.MTP = append(m.MTP, s.mtpLayer(m))
	}
	if s.MTP > 0 && s.Pattern != "" {
		m.MTP = nil
		m.Notes = append(m.Notes, "multi-token prediction not included")
	}
	if err := checkTotal(m); err != nil {
		return nil, err
	}
	return m, nil
}

// mtpLayer returns a multi-token-prediction layer: the model's last layer
// that has attention.
func (s *modelSpec) mtpLayer(m *costmodel.Model) costmodel.Layer {
	for i := len(m.Pattern) - 1; i >= 0; i-- {
		if l := m.Kinds[m.Pattern[i]]; l.Mixer.Kind == costmodel.Attention || l.Mixer.Kind == costmodel.MLA {
			return l
		}
	}
	return m.Kinds[m.Pattern[len(m.Pattern)-1]]
}

// setDefaults fills in what the style implies.
func (s *modelSpec) setDefaults() {
	gpt := s.Style == "gpt"
	for _, b := range []**bool{&s.QKVBias, &s.OutBias, &s.MLPBias} {
		setDefault(b, gpt)
	}
	setDefault(&s.Gated, !gpt)
	if s.Positions == nil {
		s.Positions = new(int)
		if gpt {
			*s.Positions = s.SeqLen
		}
	}
	if s.Norm == "" {
		s.Norm = "rms"
		if gpt {
			s.Norm = "layer"
		}
	}
	if s.LayerNorms == 0 {
		s.LayerNorms = 2
	}
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	if s.HeadDim == 0 && s.Heads > 0 && s.Hidden%s.Heads == 0 {
		s.HeadDim = s.Hidden / s.Heads
	}
	if s.Pattern != "" && s.Layers == 0 {
		s.Layers = len(s.Pattern)
	}
	if s.MoE != nil && s.MoE.Every == 0 {
		s.MoE.Every = 1
	}
}

func setDefault(b **bool, v bool) {
	if *b == nil {
		*b = &v
	}
}

// normSize returns the parameters of one norm over the residual stream.
func (s *modelSpec) normSize() int {
	switch s.Norm {
	case "layer":
		return 2 * s.Hidden
	case "none":
		return 0
	}
	return s.Hidden
}

// layer returns layer i, from 0.
func (s *modelSpec) layer(i int) costmodel.Layer {
	l := costmodel.Layer{
		Norms: s.LayerNorms, NormParams: s.LayerNorms * s.normSize(),
		LayerNorm: s.Norm != "rms", Parallel: s.Parallel,
	}
	switch kind := s.kind(i); kind {
	case 'M':
		l.Mixer = s.mamba()
	case '*':
		l.Mixer = s.attention(i)
	case '-', 'E':
		l.FFN = s.mlp(kind == 'E')
	default:
		l.Mixer = s.mixer(i)
		l.FFN = s.mlp(s.sparse(i))
	}
	l.Mixer.Extra = s.Extra
	if s.each != nil {
		s.each(i, &l)
	}
	return l
}

// kind returns the pattern's letter of layer i, 0 without a pattern.
func (s *modelSpec) kind(i int) byte {
	if i < len(s.Pattern) {
		return s.Pattern[i]
	}
	return 0
}

// full reports whether layer i is one of each FullEvery-th, which see all keys.
func (s *modelSpec) full(i int) bool { return s.FullEvery > 0 && (i+1)%s.FullEvery == 0 }

// sparse reports whether layer i has experts.
func (s *modelSpec) sparse(i int) bool {
	return s.MoE != nil && i >= s.MoE.FirstDense && (i+1)%s.MoE.Every == 0
}

func (s *modelSpec) mlp(sparse bool) costmodel.FFN {
	f := costmodel.FFN{Gated: *s.Gated, Bias: *s.MLPBias}
	if !sparse {
		f.Width = s.FFN
		return f
	}
	f.Bias = false
	f.Experts, f.TopK, f.ExpertWidth, f.ExpertBias = s.MoE.Experts, s.MoE.TopK, s.MoE.FFN, s.MoE.Bias
	if s.MoE.Groups > 1 {
		f.Groups, f.TopGroups = s.MoE.Groups, s.MoE.TopGroups
	}
	f.Shared, f.SharedGate, f.Latent = s.MoE.Shared, s.MoE.SharedGate, s.MoE.Latent
	if s.MoE.RouterBias {
		f.RouterBias = s.MoE.Experts
	}
	return f
}
