package catalog

import (
	"fmt"
	"strconv"
)

// bounds of what a specification may say; far above any model, and low enough
// that every product fits 64 bits.
const (
	maxLayers = 10_000
	maxWidth  = 1 << 20
	maxVocab  = 1 << 24
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
	in("head_dim", s.HeadDim, 1, maxWidth)
	in("ffn", s.FFN, 0, maxWidth)
	in("vocab", s.Vocab, 1, maxVocab)
	in("seq_len", s.SeqLen, 0, maxSeqLen)
	in("positions", *s.Positions, 0, maxSeqLen)
	in("window", s.Window, 0, maxSeqLen)
	if x := s.MoE; x != nil {
		in("moe.experts", x.Experts, 1, maxWidth)
		in("moe.top_k", x.TopK, 1, max(1, x.Experts))
		in("moe.ffn", x.FFN, 1, maxWidth)
		in("moe.shared", x.Shared, 0, maxWidth)
		in("moe.latent", x.Latent, 0, maxWidth)
		in("moe.every", x.Every, 1, maxLayers)
	}
	if len(e.Faults) > 0 {
		return e
	}
	return s.checkRelations(name)
}

// checkRelations checks what holds between fields.
func (s *modelSpec) checkRelations(name string) error {
	if s.MLA == nil && s.Heads%s.KVHeads != 0 {
		return Errorf("%s: kv_heads %d: does not divide %d heads: want a divisor of heads", name, s.KVHeads, s.Heads)
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

// group writes n with a comma every three digits.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
