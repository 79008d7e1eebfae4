package export

import "planner/costmodel"

// attentionOf returns the mixer of the first layer with attention.
func attentionOf(m *costmodel.Model) costmodel.Mixer {
	for _, k := range m.Pattern {
		if x := m.Kinds[k].Mixer; x.Kind == costmodel.Attention || x.Kind == costmodel.MLA {
			return x
		}
	}
	return costmodel.Mixer{}
}

// sparseOf returns the feed-forward part of the first layer with experts.
func sparseOf(m *costmodel.Model) costmodel.FFN {
	for _, k := range m.Pattern {
		if f := m.Kinds[k].FFN; f.Experts > 0 {
			return f
		}
	}
	return costmodel.FFN{}
}

// hybrid lists layers that a GPT-shaped exporter has no words for.
func hybrid(m *costmodel.Model, d *Document) {
	for i := range m.Kinds {
		switch m.Kinds[i].Mixer.Kind {
		case costmodel.Linear, costmodel.Mamba2, costmodel.NoMixer:
			d.missing("layers without attention: this model is a hybrid; use the framework's own definition of it")
			return
		}
	}
}
