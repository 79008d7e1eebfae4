package costmodel

// Matrices returns the elements of each weight matrix of a layer, routed experts
// left out, in the order in which a forward pass meets them: projections that
// models of Hugging Face keep as modules of their own stand apart
// (modeling_llama.py, modeling_deepseek_v3.py). Norms, biases and other vectors
// are left out.
func (l *Layer) Matrices(hidden int) []int64 {
	h := int64(hidden)
	out := l.Mixer.matrices(h)
	if n := l.FFN.Experts; n > 0 {
		out = append(out, h*int64(n))
		if io := int64(l.FFN.Latent); io > 0 {
			out = append(out, h*io, io*h)
		}
	}
	for _, width := range []int{l.FFN.Width, l.FFN.Shared} {
		for i := 0; width > 0 && i < l.FFN.projections(); i++ {
			out = append(out, h*int64(width))
		}
	}
	return out
}

// projections of an MLP: up and down, and the gate.
func (f *FFN) projections() int {
	if f.Gated {
		return 3
	}
	return 2
}

func (x *Mixer) matrices(h int64) []int64 {
	q, v := int64(x.Heads*x.HeadDim), int64(x.Heads*x.VHeadDim)
	switch x.Kind {
	case Attention:
		out := []int64{h * q, h * int64(x.KVHeads*x.HeadDim)}
		if x.OutGate {
			out[0] *= 2
		}
		if !x.SharedKV {
			out = append(out, h*int64(x.KVHeads*x.VHeadDim))
		}
		if x.QKVBias && x.OutBias { // GPT-2, NeoX and BLOOM keep the three in one
			out = []int64{sum(out)}
		}
		return append(out, v*h)
	case MLA:
		return x.mlaMatrices(h, q, v)
	case Linear, Mamba2:
		sharded, _ := x.params(h)
		inner := v
		if x.Kind == Mamba2 {
			inner = q
		}
		return []int64{sharded - inner*h, inner * h}
	}
	return nil
}

func (x *Mixer) mlaMatrices(h, q, v int64) []int64 {
	out := []int64{h * q}
	if r := int64(x.QRank); r > 0 {
		out = []int64{h * r, r * q}
	}
	up := int64(x.Heads * (x.HeadDim - x.RopeDim + x.VHeadDim))
	out = append(out, h*int64(x.KVRank+x.RopeDim), int64(x.KVRank)*up, v*h)
	if n := x.indexParams(h); n > 0 {
		out = append(out, n)
	}
	return out
}

func sum(of []int64) (n int64) {
	for _, x := range of {
		n += x
	}
	return n
}
