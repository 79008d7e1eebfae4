package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"planner/hardware/unit"
	"planner/strategies"
)

// degree is one thing in a layout that a part of memory is divided by.
type degree struct {
	cut func(s *Side) float64   // what the part is divided by, up to a constant
	say func(x, y *Side) string // of the second side, against the first
}

// part is a term of memory with the settings it grows with and the degrees
// that divide it.
type part struct {
	name     string
	bytes    func(m *strategies.Memory) unit.Bytes
	settings []*setting
	degrees  []degree
}

// pair writes a key of both layouts: "cp=1, not 8".
func pair[T comparable](key string, get func(l *strategies.Layout) T) func(x, y *Side) string {
	return func(x, y *Side) string { return fmt.Sprintf("%s=%v, not %v", key, get(&y.Layout), get(&x.Layout)) }
}

func number(key string, get func(l *strategies.Layout) int) degree {
	return degree{func(s *Side) float64 { return float64(get(&s.Layout)) }, pair(key, get)}
}

var (
	byTP = number("tp", func(l *strategies.Layout) int { return l.TP })
	byPP = number("pp", func(l *strategies.Layout) int { return l.PP })
	byEP = number("ep", func(l *strategies.Layout) int { return l.EP * l.ETP })
	byCP = number("cp", func(l *strategies.Layout) int { return l.CP })
	// A longer micro-batch is a smaller cut.
	byMBS = degree{func(s *Side) float64 { return 1 / float64(s.Layout.MBS) }, pair("mbs", func(l *strategies.Layout) int { return l.MBS })}
	// The first stage keeps its share of the layers for each micro-batch in
	// flight, of which a deeper pipeline has more.
	byFlight = degree{func(s *Side) float64 {
		return float64(s.Layout.PP) / s.Layout.InFlight(0, float64(max(1, s.Predicted.MicroBatches)))
	}, func(x, y *Side) string {
		return fmt.Sprintf("pp=%d, vpp=%d in flight, not pp=%d, vpp=%d", y.Layout.PP, y.Layout.VPP, x.Layout.PP, x.Layout.VPP)
	}}
	byRecompute = degree{recomputed, func(x, y *Side) string {
		return fmt.Sprintf("recompute=%s, not %s", recomputation(&y.Layout), recomputation(&x.Layout))
	}}
)

// recomputed divides the activations that are kept. Of a layer with fused
// attention 34 bytes a token and hidden element are kept, half of it where
// every other product is recomputed, 2 where all is (Korthikanti et al. 2022,
// table 2).
func recomputed(s *Side) float64 {
	switch s.Layout.Recompute {
	case strategies.RecomputeFull:
		again := s.recomputedLayers()
		return 34 / (2*again + 34*(1-again))
	case strategies.RecomputeSelective:
		return 34. / 17
	}
	return 1
}

// recomputedLayers is the share of the layers that recompute=full is asked for;
// of a model whose depth is not known a part of them counts as half.
func (s *Side) recomputedLayers() float64 {
	switch l := &s.Layout; {
	case l.FullLayers == 0:
		return 1
	case s.Layers == 0:
		return 0.5
	default:
		return min(1, float64(l.FullLayers*l.PP)/float64(s.Layers))
	}
}

// recomputation is the value of a layout's key recompute.
func recomputation(l *strategies.Layout) string {
	if l.Recompute == strategies.RecomputeFull && l.FullLayers > 0 {
		return fmt.Sprintf("full:%d", l.FullLayers)
	}
	return l.Recompute.String()
}

// byZeRO divides what ZeRO splits from a stage on by the ranks of the shard.
func byZeRO(from int) degree {
	ranks := func(s *Side) int {
		if s.Layout.Zero < from {
			return 1
		}
		return s.Layout.Shard
	}
	return degree{func(s *Side) float64 { return float64(ranks(s)) }, func(x, y *Side) string {
		switch {
		case ranks(x) > 1 && ranks(y) == 1:
			return fmt.Sprintf("zero=%d keeps it whole, zero=%d splits it over %d ranks", y.Layout.Zero, x.Layout.Zero, ranks(x))
		case ranks(x) == 1:
			return fmt.Sprintf("zero=%d splits it over %d ranks, zero=%d keeps it whole", y.Layout.Zero, ranks(y), x.Layout.Zero)
		}
		return fmt.Sprintf("split over %d ranks, not %d", ranks(y), ranks(x))
	}}
}

var memoryParts = []part{
	{"weights", func(m *strategies.Memory) unit.Bytes { return m.Weights }, []*setting{&byPrecision}, []degree{byTP, byPP, byEP, byZeRO(3)}},
	{"gradients", func(m *strategies.Memory) unit.Bytes { return m.Gradients }, []*setting{&byPass, &byTrained}, []degree{byTP, byPP, byEP, byZeRO(2)}},
	{"optimizer state", func(m *strategies.Memory) unit.Bytes { return m.Master + m.Moments }, []*setting{&byPass, &byTrained}, []degree{byTP, byPP, byEP, byZeRO(1)}},
	{"activations", func(m *strategies.Memory) unit.Bytes { return m.Activations }, []*setting{&byPass, &byTrained, &byScores, &byLoad, &byLength, &byPrecision}, []degree{byCP, byRecompute, byTP, byMBS, byFlight}},
	{"logits", func(m *strategies.Memory) unit.Bytes { return m.Logits }, []*setting{&byPass, &byLength}, []degree{byCP, byTP, byMBS}},
	{"buffers", func(m *strategies.Memory) unit.Bytes { return m.Buffers }, []*setting{&byPass, &byLoad, &byPrecision}, []degree{byTP, byPP, byEP}},
}

// second is the share of the largest difference from which another is named.
const second = 0.25

// memoryCause names the part of memory that differs most in the direction of
// the whole, and the degree that divides it on one side and not on the other;
// then the next part, where that is large too.
func memoryCause(a, b *Side) string {
	switch {
	case a.Question.Model != b.Question.Model:
		return "another model"
	case a.Memory == nil || b.Memory == nil:
		return ""
	}
	way := math.Copysign(1, b.Predicted.Memory-a.Predicted.Memory)
	parts := slices.Clone(memoryParts)
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Compare(way*y.delta(a, b), way*x.delta(a, b)) })
	first, next := &parts[0], &parts[1]
	switch d, e := first.delta(a, b)*way, next.delta(a, b)*way; {
	case d <= 0:
		text, _ := reasons([]*setting{&byHardware}, a, b, way > 0)
		return text
	case e <= second*d:
		return first.text(a, b)
	}
	if why := first.why(a, b); why != "" && why == next.why(a, b) {
		return first.amount(a, b) + ", " + next.text(a, b)
	}
	return first.text(a, b) + "; " + next.text(a, b)
}

// delta returns how much more of the part the second side takes.
func (p *part) delta(a, b *Side) float64 { return float64(p.bytes(b.Memory) - p.bytes(a.Memory)) }

func (p *part) amount(a, b *Side) string {
	return fmt.Sprintf("%s %+.1f GiB", p.name, unit.Bytes(p.delta(a, b)).GiB())
}

func (p *part) text(a, b *Side) string {
	if why := p.why(a, b); why != "" {
		return p.amount(a, b) + ": " + why
	}
	return p.amount(a, b)
}

// why names the settings that the part grows with, and the degree that divides
// it where that does more.
func (p *part) why(a, b *Side) string {
	lean, full := a, b
	if p.delta(a, b) < 0 {
		lean, full = b, a
	}
	asked, factor := reasons(p.settings, a, b, p.delta(a, b) > 0)
	d, ratio := p.degree(lean, full)
	switch {
	case asked != "" && (d == nil || ratio <= factor || p.bytes(lean.Memory) == 0):
		return asked
	case asked != "":
		return asked + "; " + d.say(a, b)
	case d != nil:
		return d.say(a, b)
	case a.Framework != b.Framework:
		return not(b.Framework, a.Framework)
	}
	return ""
}

// degree returns what divides the part most more on the leaner side, and how
// much more; nil where nothing does.
func (p *part) degree(lean, full *Side) (best *degree, most float64) {
	most = 1
	for i := range p.degrees {
		if ratio := p.degrees[i].cut(lean) / p.degrees[i].cut(full); ratio > most {
			best, most = &p.degrees[i], ratio
		}
	}
	return best, most
}
