package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"planner/costmodel"
)

// bounds of what a specification may say; far above any model, and low enough
// that every product fits 64 bits.
const (
	maxLayers = 10_000
	maxWidth  = 1 << 20
	maxVocab  = 1 << 24
	maxHeads  = 1 << 24 // heads times their width
	maxExpert = 1 << 16
	maxSeqLen = 1 << 30
)

// check returns every fault of s in one *Error.
func (s *modelSpec) check(name string) error {
	e := &Error{}
	in := func(key string, v, low, high int) {
		if v < low || v > high {
			e.Faults = append(e.Faults, name+": "+outside(key, v, low, high))
		}
	}
	in("layers", s.Layers, 1, maxLayers)
	in("hidden", s.Hidden, 1, maxWidth)
	in("heads", s.Heads, 1, maxWidth)
	in("kv_heads", s.KVHeads, 1, maxWidth)
	if s.HeadDim == 0 && s.Heads > 0 && s.Hidden > 0 {
		e.Faults = append(e.Faults, fmt.Sprintf("%s: hidden %d: not a multiple of %d heads: give head_dim", name, s.Hidden, s.Heads))
	} else {
		in("head_dim", s.HeadDim, 0, maxWidth)
	}
	in("ffn", s.FFN, 0, maxWidth)
	in("vocab", s.Vocab, 1, maxVocab)
	in("seq_len", s.SeqLen, 0, maxSeqLen)
	in("positions", *s.Positions, 0, maxSeqLen)
	in("heads × head_dim", s.Heads*s.HeadDim, 0, maxHeads)
	in("extra", s.Extra, 0, maxWidth)
	in("norms", s.LayerNorms, 0, 16)
	in("full_every", s.FullEvery, 0, maxLayers)
	in("mtp_layers", s.MTP, 0, 64)
	in("window", s.Window, 0, maxSeqLen)
	if x := s.MoE; x != nil {
		in("moe.experts", x.Experts, 1, maxExpert)
		in("moe.top_k", x.TopK, 1, max(1, x.Experts))
		in("moe.groups", x.Groups, 0, max(1, x.Experts))
		in("moe.top_groups", x.TopGroups, 0, max(1, x.Groups))
		in("moe.ffn", x.FFN, 1, maxWidth)
		in("moe.shared", x.Shared, 0, maxWidth)
		in("moe.latent", x.Latent, 0, maxWidth)
		in("moe.every", x.Every, 1, maxLayers)
		in("moe.first_dense", x.FirstDense, 0, maxLayers)
	}
	for _, x := range s.parts() {
		in(x.key, x.v, x.low, cmp.Or(x.high, maxWidth))
	}
	if len(e.Faults) > 0 {
		return e
	}
	return s.checkRelations(name)
}

// part is one size of a part that a model may lack.
type part struct {
	key          string
	v, low, high int // high 0: maxWidth
}

// parts lists the sizes of latent attention, linear layers and Mamba layers.
func (s *modelSpec) parts() []part {
	var p []part
	if x := s.MLA; x != nil {
		p = append(p, part{"mla.q_rank", x.QRank, 0, 0}, part{"mla.kv_rank", x.KVRank, 1, 0}, part{"mla.nope", x.NoPE, 1, 0},
			part{"mla.rope", x.RoPE, 0, 0}, part{"mla.v", x.V, 1, 0}, part{"mla.index_heads", x.IndexHeads, 0, 0},
			part{"mla.index_dim", x.IndexDim, 0, 0}, part{"mla.index_top_k", x.IndexTopK, 0, 0})
	}
	if x := s.Linear; x != nil {
		p = append(p, part{"linear.key_heads", x.KeyHeads, 1, 0}, part{"linear.value_heads", x.ValueHeads, 1, 0},
			part{"linear.key_dim", x.KeyDim, 1, 0}, part{"linear.value_dim", x.ValueDim, 1, 0}, part{"linear.conv", x.Conv, 1, 0},
			part{"linear.key_heads × key_dim", x.KeyHeads * x.KeyDim, 1, maxHeads},
			part{"linear.value_heads × value_dim", x.ValueHeads * x.ValueDim, 1, maxHeads})
	}
	if x := s.Mamba; x != nil {
		p = append(p, part{"mamba.heads", x.Heads, 1, 0}, part{"mamba.head_dim", x.HeadDim, 1, 0}, part{"mamba.state", x.State, 1, 0},
			part{"mamba.groups", x.Groups, 1, 0}, part{"mamba.conv", x.Conv, 1, 0},
			part{"mamba.heads × head_dim", x.Heads * x.HeadDim, 1, maxHeads},
			part{"mamba.groups × state", x.Groups * x.State, 1, maxHeads})
	}
	return p
}

// checkRelations checks what holds between fields.
func (s *modelSpec) checkRelations(name string) error {
	switch {
	case s.MLA == nil && s.Heads%s.KVHeads != 0:
		return Errorf("%s: kv_heads %d: does not divide %d heads: want a divisor of heads", name, s.KVHeads, s.Heads)
	case s.dead() != "":
		return Errorf("%s: %s", name, s.dead())
	case s.Pattern != "" && len(s.Pattern) != s.Layers:
		return Errorf("%s: pattern: has %d letters: want one for each of %d layers", name, len(s.Pattern), s.Layers)
	case strings.Trim(s.Pattern, "M*-E") != "":
		return Errorf("%s: pattern %q: unknown letter: want M, *, - and E", name, s.Pattern)
	case strings.ContainsRune(s.Pattern, 'M') && s.Mamba == nil:
		return Errorf("%s: pattern has M but no mamba is given: want mamba = { heads, head_dim, state, groups, conv }", name)
	case strings.ContainsRune(s.Pattern, 'E') && s.MoE == nil:
		return Errorf("%s: pattern has E but no moe is given: want moe = { experts, top_k, ffn }", name)
	}
	return s.checkWords(name)
}

// checkWords checks the fields that hold one of a few words, and the MLP.
func (s *modelSpec) checkWords(name string) error {
	for _, w := range []struct{ key, v, want string }{
		{"style", s.Style, "llama, gpt"},
		{"norm", s.Norm, "rms, layer, layer-no-bias, none"},
		{"qk_norm", s.QKNorm, "head, full"},
	} {
		if w.v != "" && !slices.Contains(strings.Split(w.want, ", "), w.v) {
			return Errorf("%s: %s %q: unknown: want one of %s", name, w.key, w.v, w.want)
		}
	}
	if s.FFN == 0 && s.MoE == nil && s.each == nil && s.Pattern == "" {
		return Errorf("%s: ffn: missing: want the inner width of the MLP", name)
	}
	return nil
}

// outside says that the value of key is out of range.
func outside(key string, v, low, high int) string {
	what := "too large"
	if v < low {
		what = "too small"
	}
	return fmt.Sprintf("%s %d: %s: want %s to %s", key, v, what, group(low), group(high))
}

// maxParameters is a hundred times the largest bare size.
const maxParameters = 1e16

// checkTotal refuses a model whose count leaves the range of exact sums.
func checkTotal(m *costmodel.Model) error {
	total := 0.0
	for i, n := range m.KindCounts() {
		total += float64(n) * float64(m.Kinds[i].Params(m.Hidden).Total())
	}
	if total > maxParameters {
		return Errorf("%s: %.3g parameters: too many: want at most %g", m.Name, total, maxParameters)
	}
	return nil
}

// group writes n with a comma every three digits.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// dead names a key that would change nothing. Of a model like another it may be the
// other's.
func (s *modelSpec) dead() string {
	windows := s.Window > 0 || s.Linear != nil || s.Lightning
	switch {
	case s.Like != "" || s.each != nil:
		return ""
	case s.Chunked && s.Window == 0:
		return "chunked: no window to chunk: give window, or leave it out"
	case s.FullEvery > 0 && !windows:
		return fmt.Sprintf("full_every %d: every layer sees all keys: give window, or leave it out", s.FullEvery)
	case s.Mamba != nil && !strings.ContainsRune(s.Pattern, 'M'):
		return "mamba: no layer is one: give a pattern with an M for each, or leave it out"
	}
	return ""
}
