package catalog

import "planner/costmodel"

// Shape is a dense transformer by its sizes alone, as tables of runs give it.
// Gated shapes are like Llama (RMSNorm, no biases, rotary positions), others
// like GPT-3 (LayerNorm, biases, learned positions, tied embeddings unless
// Untied). A size of 0 is left to a default: KVHeads to Heads, HeadDim to
// Hidden/Heads, Heads to Hidden/128, FFN to 4·Hidden (3.5 of it when gated),
// Vocab to 51,200 (Megatron-LM's padding of GPT-2's; 128,256 when gated),
// MaxSeq to 2,048.
type Shape struct {
	Name                         string
	Layers, Hidden, Heads        int
	KVHeads, HeadDim, FFN, Vocab int
	Gated                        bool
	MaxSeq                       int
	Tied, Untied                 bool
	Positions                    int // learned ones; 0: MaxSeq of a plain shape, none of a gated one
}

// Model builds the model. The error is an *Error that names the field.
func (s Shape) Model() (*costmodel.Model, error) {
	s = s.withDefaults()
	spec := &modelSpec{
		Title: s.Name, Family: "shape", Style: "gpt",
		Layers: s.Layers, Hidden: s.Hidden, Heads: s.Heads, KVHeads: s.KVHeads, HeadDim: s.HeadDim,
		FFN: s.FFN, Vocab: s.Vocab, SeqLen: s.MaxSeq, Tied: s.Tied && !s.Untied,
		Positions: &s.Positions, Source: "sizes given",
	}
	if s.Gated {
		spec.Style = "llama"
	}
	name := s.Name
	if name == "" {
		name = "shape"
	}
	return spec.build(name)
}

func (s Shape) withDefaults() Shape {
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&s.Heads, max(1, s.Hidden/128))
	set(&s.MaxSeq, 2048)
	if s.Gated {
		set(&s.FFN, s.Hidden*7/2)
		set(&s.Vocab, 128256)
		return s
	}
	s.Tied = true
	set(&s.FFN, 4*s.Hidden)
	set(&s.Vocab, 51200)
	set(&s.Positions, s.MaxSeq)
	return s
}
