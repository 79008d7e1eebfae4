package catalog

import "planner/costmodel"

func (s *modelSpec) mixer(i int) costmodel.Mixer {
	switch {
	case s.Linear != nil && !s.full(i):
		return s.linear()
	case s.Lightning && !s.full(i):
		return s.lightning()
	case s.MLA != nil:
		return s.latent()
	}
	return s.attention(i)
}

func (s *modelSpec) attention(i int) costmodel.Mixer {
	x := costmodel.Mixer{
		Kind: costmodel.Attention, Heads: s.Heads, KVHeads: s.KVHeads,
		HeadDim: s.HeadDim, VHeadDim: s.HeadDim,
		QKVBias: *s.QKVBias, OutBias: *s.OutBias, OutGate: s.OutGate,
	}
	switch s.QKNorm {
	case "head":
		x.QKNorm = 2 * s.HeadDim
	case "full":
		x.QKNorm = (s.Heads + s.KVHeads) * s.HeadDim
	}
	if s.Sinks {
		x.Sinks = s.Heads
	}
	if s.Window > 0 && !s.full(i) {
		x.Window, x.ChunkedWindow = s.Window, s.Chunked
	}
	return x
}

func (s *modelSpec) latent() costmodel.Mixer {
	return costmodel.Mixer{
		Kind: costmodel.MLA, Heads: s.Heads, KVHeads: s.Heads,
		HeadDim: s.MLA.NoPE + s.MLA.RoPE, VHeadDim: s.MLA.V,
		QRank: s.MLA.QRank, KVRank: s.MLA.KVRank, RopeDim: s.MLA.RoPE,
		IndexHeads: s.MLA.IndexHeads, IndexDim: s.MLA.IndexDim, IndexTopK: s.MLA.IndexTopK,
		QKVBias: *s.QKVBias, OutBias: *s.OutBias,
	}
}

func (s *modelSpec) linear() costmodel.Mixer {
	return costmodel.Mixer{
		Kind: costmodel.Linear, Heads: s.Linear.ValueHeads, KVHeads: s.Linear.KeyHeads,
		HeadDim: s.Linear.KeyDim, VHeadDim: s.Linear.ValueDim,
		State: s.Linear.KeyDim, Conv: s.Linear.Conv,
	}
}

// lightning returns MiniMax's linear attention: heads as in softmax attention,
// a fixed decay a head, an output gate and a norm over all heads.
func (s *modelSpec) lightning() costmodel.Mixer {
	return costmodel.Mixer{
		Kind: costmodel.Linear, Heads: s.Heads, KVHeads: s.Heads,
		HeadDim: s.HeadDim, VHeadDim: s.HeadDim, State: s.HeadDim, FixedDecay: true,
	}
}

func (s *modelSpec) mamba() costmodel.Mixer {
	return costmodel.Mixer{
		Kind: costmodel.Mamba2, Heads: s.Mamba.Heads, KVHeads: s.Mamba.Groups,
		HeadDim: s.Mamba.HeadDim, VHeadDim: s.Mamba.HeadDim,
		State: s.Mamba.State, Conv: s.Mamba.Conv, Groups: s.Mamba.Groups, ConvBias: true,
	}
}
