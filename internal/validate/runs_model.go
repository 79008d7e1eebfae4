package validate

import (
	"fmt"
	"math"
	"strings"

	"planner/costmodel"
	"planner/internal/catalog"
)

type modelKey struct {
	preset, gated, params                         string
	layers, hidden, heads, kv, ffn, vocab, maxSeq int
	nanotron                                      bool
}

// model builds the model of a run: the preset with the row's layers and
// vocabulary where its widths agree, else the shape that the row gives.
func (b *Builder) model(c *Case) error {
	r := c.Run
	if r.Heads == 0 && r.Preset == "" && r.Hidden > 0 {
		c.assume("heads", fmt.Sprint(max(1, r.Hidden/128)))
	}
	key := modelKey{r.Preset, r.Gated, r.ParamsText, r.Layers, r.Hidden, r.Heads, r.KVHeads, r.FFN, r.Vocab, r.Seq, false}
	m, ok := b.models[key]
	if !ok {
		var err error
		if m, err = buildModel(r); err != nil {
			return err
		}
		b.models[key] = m
	}
	c.Model = m
	if r.Preset == "" {
		c.assumeShape(m)
	}
	return nil
}

func (c *Case) assumeShape(m *costmodel.Model) {
	r := c.Run
	for _, f := range []struct {
		column string
		given  int
		value  int
	}{{"kv_heads", r.KVHeads, m.KVHeads()}, {"ffn", r.FFN, m.FFN()}, {"vocab", r.Vocab, m.Vocab}} {
		if f.given == 0 {
			c.assume(f.column, fmt.Sprint(f.value))
		}
	}
	if r.Gated == "" {
		c.assume("gated_mlp", "no")
	}
}

func buildModel(r *Run) (*costmodel.Model, error) {
	if r.Preset != "" {
		m, err := catalog.ModelAs("preset", r.Preset)
		if err != nil {
			return nil, err
		}
		if agrees(r, m) {
			return adapt(r, m), nil
		}
	}
	if r.Layers == 0 || r.Hidden == 0 {
		return nil, catalog.Errorf("layers %d, hidden %d: no shape and no preset: give both, or preset", r.Layers, r.Hidden)
	}
	return shapeModel(r)
}

// agrees reports whether the widths of a row are those of its preset. Experts
// are not in the table, so that a sparse preset always stands.
func agrees(r *Run, m *costmodel.Model) bool {
	same := func(given, has int) bool { return given == 0 || given == has }
	return m.Experts() > 0 || same(r.Hidden, m.Hidden) && same(r.Heads, m.Heads()) && same(r.KVHeads, m.KVHeads()) && same(r.FFN, m.FFN())
}

// adapt gives a preset the row's layers and vocabulary.
func adapt(r *Run, m *costmodel.Model) *costmodel.Model {
	if r.Layers > 0 && r.Layers != m.Layers() {
		m = m.Truncate(r.Layers)
	}
	if r.Vocab > 0 && r.Vocab != m.Vocab {
		c := *m
		c.Vocab = r.Vocab
		m = &c
	}
	return m
}

// shapeModel builds a dense model from its sizes. Rows do not say whether the
// embeddings are tied: a count of parameters given to three digits or more
// does, where it is within 2 % of one of the two.
func shapeModel(r *Run) (*costmodel.Model, error) {
	s := catalog.Shape{
		Name: r.Model, Layers: r.Layers, Hidden: r.Hidden, Heads: r.Heads, KVHeads: r.KVHeads, FFN: r.FFN, Vocab: r.Vocab,
		Gated: r.Gated == "yes", MaxSeq: r.Seq,
	}
	m, err := s.Model()
	if err != nil || digits(r.ParamsText) < 3 {
		return m, err
	}
	other := s
	other.Tied, other.Untied = !m.Tied, m.Tied
	o, err := other.Model()
	if err != nil {
		return m, nil
	}
	off := func(m *costmodel.Model) float64 { return math.Abs(float64(m.Parameters())/(r.Params*1e9) - 1) }
	if off(o) < off(m) && off(o) < 0.02 {
		return o, nil
	}
	return m, nil
}

func digits(s string) int {
	return len(strings.TrimLeft(strings.ReplaceAll(s, ".", ""), "0"))
}
