package replay

import (
	"math"
	"strings"

	"planner/costmodel/timeline"
)

// unitOf is a part of a layer of a pass: the grain at which calls and compute
// alternate.
type unitOf struct {
	timeline.Slot
	index, of int
	gathers   []int32 // slots, once started
	kept      bool    // the pass before left the layers gathered
}

// parts is how many units a layer is cut into: attention and MLP.
const parts = 2

// units cuts the passes of a schedule into parts of layers.
func (b *stageBuilder) units(order []timeline.Slot) []unitOf {
	per := b.perChunk()
	var out []unitOf
	kept := false
	for _, s := range order {
		n := per
		if s.Kind == timeline.Weight {
			n = 1
		}
		for u := range n {
			out = append(out, unitOf{Slot: s, index: u, of: n, kept: kept && b.plan.between})
		}
		kept = s.Kind == timeline.Backward
		b.gathering[dirOf(s.Kind)] += when(!out[len(out)-1].kept)
	}
	return out
}

func when(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// gathers returns how often the pass of a unit makes the gathers of a row: those
// that find the layers gathered make none, the others share them.
func (b *stageBuilder) gathers(row int32, u *unitOf) float64 {
	switch {
	case !b.plan.between:
		return b.inPass(row, u)
	case u.kept:
		return 0
	}
	return b.plan.Calls[row].Count / float64(b.gathering[dirOf(u.Kind)])
}

func (b *stageBuilder) perChunk() int { return max(1, parts*b.layers/b.plan.Layout.VPP) }

// early is times for what a unit needs rather than leaves: it falls to the
// first of the units that share a call.
func (u *unitOf) early(per float64) int {
	last := *u
	last.index = u.of - 1 - u.index
	return last.times(per)
}

// times returns how often a call that a pass makes per times falls to a unit.
func (u *unitOf) times(per float64) int {
	return int(float64(u.index+1)*per/float64(u.of)+almost) - int(float64(u.index)*per/float64(u.of)+almost)
}

// perPass returns how often a pass of the unit's kind makes the calls of a row.
func (b *stageBuilder) perPass(row int32, u *unitOf) float64 {
	return b.ofChunk(b.plan.Calls[row].Count/float64(b.micro), u)
}

// ofChunk returns how many of n calls fall to the chunk of a unit. What does not
// divide belongs to the ends of the model: the first chunk of the first stage,
// the last of the others.
func (b *stageBuilder) ofChunk(n float64, u *unitOf) float64 {
	v := float64(b.plan.Layout.VPP)
	if math.Abs(n/v-math.Round(n/v)) < almost || v == 1 {
		return n / v
	}
	c := float64(u.Chunk)
	if b.stage == 0 {
		c = v - 1 - c
	}
	return math.Floor((c+1)*n/v+almost) - math.Floor(c*n/v+almost)
}

// almost is what sums of fractions may miss a whole number by.
const almost = 1e-6

// inPass returns how often the pass of a unit makes the layer-wise calls of a
// row. Where the framework keeps parameters and sums gradients over the
// micro-batches, the first forward pass gathers and the last backward pass
// scatters.
func (b *stageBuilder) inPass(row int32, u *unitOf) float64 {
	c := &b.plan.Calls[row]
	whole := float64(b.layers)
	if !strings.Contains(c.Purpose, "layer ") && !strings.Contains(c.Purpose, "shard") {
		whole = 1 // embedding, head and norm
	}
	if c.Count > whole+0.5 || b.micro == 1 {
		return b.perPass(row, u)
	}
	at := 0
	if u.Kind == timeline.Backward {
		at = b.micro - 1
	}
	if int(u.Micro) != at {
		return 0
	}
	return b.ofChunk(c.Count, u)
}
