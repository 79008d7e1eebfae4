package export

import (
	"slices"

	"planner/costmodel"
)

// megatronModel writes the model. What Megatron cannot build, and what planner
// does not know of a model, is megatronGaps'.
func megatronModel(p *Plan, d *Document, f *flagList) {
	m := p.Problem.Model
	f.add("num-layers", m.Layers())
	f.add("hidden-size", m.Hidden)
	f.add("num-attention-heads", m.Heads())
	f.add("max-position-embeddings", max(m.MaxSeq, p.Problem.Work.Seq))
	megatronAttention(m, d, f)
	megatronFFN(m, f)
	f.above(0, "mtp-num-layers", len(m.MTP))
	f.when(!m.Tied, "untie-embeddings-and-output-weights")
	if n := p.Profile.Memory.VocabMultiple; n > 0 {
		f.add("make-vocab-size-divisible-by", n)
	}
	if fusedLoss(p) {
		f.add("cross-entropy-loss-fusion")
		f.add("cross-entropy-fusion-impl", "te")
	}
	megatronGaps(m, d)
	d.assume("initialisation, optimizer, tokenizer and data are yours")
}

func megatronAttention(m *costmodel.Model, d *Document, f *flagList) {
	x := attentionOf(m)
	switch {
	case x.Kind == costmodel.MLA:
		megatronLatent(m, &x, d, f)
	case x.KVHeads != x.Heads:
		f.add("group-query-attention")
		f.add("num-query-groups", x.KVHeads)
	}
	if x.Kind == costmodel.Attention && x.HeadDim*x.Heads != m.Hidden {
		f.add("kv-channels", x.HeadDim)
	}
	f.when(x.QKNorm > 0 || x.Kind == costmodel.MLA, "qk-layernorm")
	f.when(x.QKVBias && !x.OutBias, "add-qkv-bias")
	f.when(x.OutGate, "attention-output-gate")
	if x.Sinks > 0 {
		f.add("softmax-type", "learnable")
	}
}

// megatronLatent writes multi-head latent attention, whose --qk-layernorm are
// the norms of the compressed queries and keys.
func megatronLatent(m *costmodel.Model, x *costmodel.Mixer, d *Document, f *flagList) {
	f.add("multi-latent-attention")
	f.above(0, "q-lora-rank", x.QRank)
	f.add("kv-lora-rank", x.KVRank)
	f.add("qk-head-dim", x.HeadDim-x.RopeDim)
	f.add("qk-pos-emb-head-dim", x.RopeDim)
	f.add("v-head-dim", x.VHeadDim)
	if x.IndexTopK == 0 {
		return
	}
	f.add("experimental-attention-variant", "dsa")
	f.add("dsa-indexer-n-heads", x.IndexHeads)
	f.add("dsa-indexer-head-dim", x.IndexDim)
	f.add("dsa-indexer-topk", x.IndexTopK)
	d.missing("the loss that trains the indexer: set --dsa-indexer-loss-coeff")
	if slices.ContainsFunc(m.Kinds, func(l costmodel.Layer) bool { return l.Mixer.IndexTopK > 0 && l.Mixer.IndexHeads == 0 }) {
		d.missing("layers that read by the choice of an earlier indexer: an indexer in every layer is written")
	}
}

func megatronFFN(m *costmodel.Model, f *flagList) {
	layer := &m.Kinds[m.Pattern[len(m.Pattern)-1]]
	if m.Positions > 0 {
		f.add("position-embedding-type", "learned_absolute")
	} else {
		f.add("position-embedding-type", "rope")
	}
	if layer.LayerNorm {
		f.add("normalization", "LayerNorm")
	} else {
		f.add("normalization", "RMSNorm")
	}
	f.when(layer.FFN.Gated, "swiglu")
	f.when(!biased(layer), "disable-bias-linear")
	if m.Experts() == 0 {
		f.add("ffn-hidden-size", m.FFN())
		return
	}
	megatronExperts(m, f)
}

// biased reports whether a product after attention has a bias: Megatron has
// them everywhere then.
func biased(l *costmodel.Layer) bool { return l.Mixer.OutBias || l.FFN.Bias || l.FFN.ExpertBias }
