package catalog

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"planner/costmodel"
)

// near is how far a size may be from that of a well-known dense model to mean
// it, nearSparse from that of a mixture of experts, which is a different
// machine to train.
const (
	near       = 0.15
	nearSparse = 0.05
)

// Bounds of bare sizes, in parameters.
const (
	minSize = 10e6
	maxSize = 100e12
)

var sizePattern = regexp.MustCompile(`^([+-]?[0-9]*\.?[0-9]+)([a-zA-Z]*)$`)

// parseSize reads "70b", "1.5T" or "350m". It reports false for what is no
// number with a unit at all.
func parseSize(ref string) (params float64, ok bool, err error) {
	part := sizePattern.FindStringSubmatch(ref)
	if part == nil {
		return 0, false, nil
	}
	v, err := strconv.ParseFloat(part[1], 64)
	if err != nil {
		return 0, false, nil
	}
	unit, known := map[string]float64{"m": 1e6, "b": 1e9, "t": 1e12}[strings.ToLower(part[2])]
	switch {
	case part[2] == "":
		return 0, false, fmt.Errorf("no size unit: want m, b or t, e.g. 70b")
	case !known:
		return 0, false, fmt.Errorf("unknown size unit %q: want m, b or t, e.g. 70b", part[2])
	case v <= 0:
		return 0, false, fmt.Errorf("not a positive size: want 10m to 100t, e.g. 70b")
	case v*unit < minSize || v*unit > maxSize:
		return 0, false, fmt.Errorf("out of range: want 10m to 100t, e.g. 70b")
	}
	return v * unit, true, nil
}

// Parameters returns what a bare size such as 70b or 1.5t stands for; 0 where ref is
// none.
func Parameters(ref string) float64 {
	n, ok, err := parseSize(ref)
	if !ok || err != nil {
		return 0
	}
	return n
}

// UnlistedSize reports whether ref is a bare size that stands for no preset of
// its own, so that Model takes what is nearest.
func UnlistedSize(ref string) bool {
	_, ok, err := parseSize(ref)
	return ok && err == nil && presetName(ref) == ""
}

// StandsForSize reports whether a preset is the one that some bare size means.
func StandsForSize(preset string) bool {
	for _, n := range modelAliases().Sizes {
		if n == preset {
			return true
		}
	}
	return false
}

// bySize returns the well-known model nearest to a bare size, if one is near,
// or a standard shape of that size; either says so in its notes.
func bySize(ref string, params float64) (*costmodel.Model, error) {
	best, found := math.Inf(1), (*costmodel.Model)(nil)
	for k, n := range modelAliases().Sizes {
		if p, ok, err := parseSize(k); !ok || err != nil || math.Abs(p/params-1) > 3*near {
			continue
		}
		m, err := preset(n)
		if err != nil {
			return nil, err
		}
		limit := near
		if m.Experts() > 0 {
			limit = nearSparse
		}
		d := math.Abs(float64(m.Parameters())/params - 1)
		if d <= limit && (d < best || d == best && m.Name < found.Name) {
			best, found = d, m
		}
	}
	if found == nil {
		return standardShape(ref, params)
	}
	found.Notes = append(found.Notes, fmt.Sprintf("no preset has %s parameters; %s, with %s, is the nearest",
		ref, found.Name, billions(found.Parameters())))
	return found, nil
}

// standardShape returns a dense model of Llama 3's proportions: heads of 128,
// 8 K/V heads, an MLP of 3.5 h, a vocabulary of 128,256 (a tied one of 32,000
// below 2e9 parameters), and of all hidden sizes the one whose width is
// nearest to 110 per layer (Llama 3: 102 at 70B, 130 at 405B).
func standardShape(ref string, params float64) (*costmodel.Model, error) {
	best, found := math.Inf(1), Shape{}
	for hidden := 128; hidden <= 1<<17; hidden += step(hidden) {
		s := standard(hidden, params)
		if s.Layers < 1 || s.Layers > maxLayers {
			continue
		}
		m, err := s.Model()
		if err != nil {
			return nil, err
		}
		miss := math.Abs(math.Log(float64(m.Parameters()) / params))
		aspect := math.Abs(math.Log(float64(hidden) / float64(s.Layers) / 110))
		if score := 10*miss + aspect; score < best {
			best, found = score, s
		}
	}
	found.Name = strings.ToLower(ref)
	m, err := found.Model()
	if err != nil {
		return nil, err
	}
	m.Title = "a standard shape of " + ref
	m.Source = "Llama 3's proportions, arXiv 2407.21783, table 3"
	m.AsOf = "2024-07-31"
	m.Notes = append(m.Notes, fmt.Sprintf("no preset is near %s: a shape with Llama 3's proportions, %d layers of %d, %s parameters",
		ref, found.Layers, found.Hidden, billions(m.Parameters())))
	return m, nil
}

// step keeps hidden sizes multiples of what tensor parallelism likes.
func step(hidden int) int {
	if hidden < 2048 {
		return 128
	}
	return 1024
}

// standard returns the shape of a hidden size whose layers come nearest to
// params, in multiples of 4 from 16 on.
func standard(hidden int, params float64) Shape {
	s := Shape{
		Hidden: hidden, Heads: hidden / 128, HeadDim: 128, KVHeads: 8,
		FFN: (hidden*7/2 + 255) / 256 * 256, Vocab: 128256, Gated: true, MaxSeq: 131072, Layers: 1,
	}
	if params < 2e9 {
		s.Vocab, s.Tied = 32000, true
	}
	if s.Heads%8 != 0 {
		s.KVHeads = s.Heads
	}
	m, err := s.Model()
	if err != nil {
		return Shape{}
	}
	layer := float64(m.Kinds[0].Params(hidden).Total())
	s.Layers = int(math.Round((params - float64(m.Parameters()) + layer) / layer))
	if s.Layers > 16 {
		s.Layers = (s.Layers + 2) / 4 * 4
	}
	return s
}

// billions writes a count of parameters as people do.
func billions(n int64) string {
	switch v := float64(n); {
	case v >= 1e12:
		return strconv.FormatFloat(v/1e12, 'f', 2, 64) + "T"
	case v >= 1e9:
		return strconv.FormatFloat(v/1e9, 'f', 1, 64) + "B"
	default:
		return strconv.FormatFloat(v/1e6, 'f', 0, 64) + "M"
	}
}
