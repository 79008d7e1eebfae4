package export

import "planner/costmodel"

// megatronGaps names what of the model the flags leave out: what planner does
// not hold of a model, and what Megatron's GPT layers do not have.
func megatronGaps(m *costmodel.Model, d *Document) {
	switch {
	case m.Family == "bloom":
		d.missing("ALiBi: not among Megatron's positions; rope is written")
	case m.Positions == 0:
		d.missing("rotary base, share and scaling: not held of a model; set --rotary-base, --rotary-percent and --use-rope-scaling or, with latent attention, --rotary-scaling-factor from its configuration")
	}
	d.missing("norm epsilon, and an activation other than SwiGLU and GELU: not held of a model; set --norm-epsilon and e.g. --squared-relu from its configuration")
	if m.Experts() > 0 {
		routerGaps(m, d)
	}
	if m.EmbedNorm > 0 {
		d.missing("the norm after the embedding: not in Megatron's GPT model")
	}
	if m.HeadBias {
		d.missing("the bias of the LM head: not in Megatron's GPT model")
	}
	windowGaps(m, d)
	layerGaps(m, d)
	hybrid(m, d)
}

func routerGaps(m *costmodel.Model, d *Document) {
	score := "--moe-router-score-function, "
	if f := sparseOf(m); f.Corrected() {
		score = ""
	}
	d.missing("how the router scores and groups experts: not held of a model; set %s--moe-router-num-groups, --moe-router-group-topk, --moe-router-topk-scaling-factor and --moe-router-pre-softmax from its configuration", score)
	d.missing("how the router is balanced: set --moe-router-load-balancing-type and --moe-aux-loss-coeff")
}

// windowGaps names the first sliding window, wherever it lies.
func windowGaps(m *costmodel.Model, d *Document) {
	for _, k := range m.Pattern {
		if w := m.Kinds[k].Mixer.Window; w > 0 && w < m.MaxSeq {
			d.missing("sliding windows of %d tokens: set --window-size and, where some layers see every token, --window-attn-skip-freq", w)
			return
		}
	}
}

// layerGaps names each part that some layer has and Megatron's have not, once.
func layerGaps(m *costmodel.Model, d *Document) {
	first := attentionOf(m)
	for _, part := range []struct {
		what string
		has  func(*costmodel.Layer) bool
	}{
		{"parallel attention and MLP", func(l *costmodel.Layer) bool { return l.Parallel }},
		{"more than two norms a layer", func(l *costmodel.Layer) bool { return l.Norms > 2 }},
		{"LayerNorm without bias", func(l *costmodel.Layer) bool { return l.LayerNorm && l.NormParams < 2*l.Norms*m.Hidden }},
		{"biases in some products only", partlyBiased},
		{"q and k norms over all heads", func(l *costmodel.Layer) bool { return l.Mixer.QKNorm > 2*l.Mixer.HeadDim }},
		{"values of another width than keys", func(l *costmodel.Layer) bool {
			return l.Mixer.Kind == costmodel.Attention && l.Mixer.VHeadDim != l.Mixer.HeadDim
		}},
		{"values that are the keys", func(l *costmodel.Layer) bool { return l.Mixer.SharedKV }},
		{"a gate for each head", func(l *costmodel.Layer) bool { return l.Mixer.HeadGate }},
		{"parameters that planner counts and has no name for", func(l *costmodel.Layer) bool { return l.Mixer.Extra > 0 }},
		{"attention of other sizes in some layers", func(l *costmodel.Layer) bool { return unlike(&l.Mixer, &first) }},
		{"MLPs of other widths in some layers", func(l *costmodel.Layer) bool { return l.FFN.Width > 0 && l.FFN.Width != m.FFN() }},
	} {
		for i := range m.Kinds {
			if part.has(&m.Kinds[i]) {
				d.missing("%s: not in Megatron's GPT layers", part.what)
				break
			}
		}
	}
}

// partlyBiased reports biases that are neither everywhere, nor nowhere, nor on
// q, k and v alone.
func partlyBiased(l *costmodel.Layer) bool {
	mlp := l.FFN.Bias
	if l.FFN.Experts > 0 {
		mlp = l.FFN.ExpertBias
	}
	return biased(l) && !(l.Mixer.QKVBias && l.Mixer.OutBias && mlp)
}

// unlike reports attention of other heads or widths than first.
func unlike(x, first *costmodel.Mixer) bool {
	return x.Kind == first.Kind && (x.Heads != first.Heads || x.KVHeads != first.KVHeads || x.HeadDim != first.HeadDim)
}
