package verdict

import (
	"fmt"
	"slices"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/replay"
)

// kind is one kind of call of a plan: what is equal of it is measured once.
type kind struct {
	op        collective.Op
	algorithm collective.Algorithm
	dtype     collective.DType
	bytes     unit.Bytes
	span      hardware.Span
}

// kindOf returns the kind of a call; a Recv is its Send's.
func kindOf(c *collective.Call) kind {
	k := kind{c.Op, c.Algorithm, c.DType, c.Bytes, c.Span}
	if k.op == collective.Recv {
		k.op = collective.Send
	}
	return k
}

// family is kinds that one latency and one bandwidth term describe.
type family struct {
	op        collective.Op
	algorithm collective.Algorithm
	outer     bool
	alone     bool // one rank a node: its steps and its bytes add up
}

func (k *kind) family() family {
	outer := k.span.Domains > 1
	return family{k.op, k.algorithm, outer, outer && k.span.Size == k.span.Domains}
}

// term is how a kind's time was found.
type term struct {
	how     string
	method  method
	price   collective.Price
	exact   int          // sample of the very call, −1: none
	seconds unit.Seconds // of one call
	spread  float64      // relative standard error
}

// method says whether a time was measured, scaled or assumed.
type method uint8

const (
	assumed method = iota
	scaled
	measured
)

// unlike says why the engine cannot make a call, "" where it can.
func (k *kind) unlike() string {
	switch k.algorithm {
	case collective.NVLS, collective.NVLSTree:
		return "no switch that reduces here"
	case collective.Tree, collective.Hierarchical:
		return "the engine has no " + k.algorithm.String() + " of this kind"
	}
	return ""
}

// sampler chooses what to run for the calls of plans on the ranks at hand.
type sampler struct {
	*here
	perNode int // of the plan's cluster
	list    []sampled
	at      map[string]int // by key
	terms   map[kind]*term
	fams    map[family][]int // samples that the fit of a family rests on
	exacts  int
}

// sampled is one sample and what the plan says that it takes.
type sampled struct {
	replay.Sample
	tiling
	price collective.Price
}

// Bounds of a sample: its bytes take most of a tenth of a second on emulated
// links, and need not be more than fill a link's pipeline; a rank holds two
// buffers of them. Calls of more than that are cut, and said to be.
const (
	sampleTime  = 0.1
	mostBytes   = 16 << 20
	fewerBytes  = 8 // the smaller sample's share, so that latency shows
	leastBytes  = 4 << 10
	mostExact   = 48
	wholeSample = 16 << 20 // calls up to this run in full where their time allows
)

func newSampler(h *here, perNode int) *sampler {
	return &sampler{here: h, perNode: perNode, at: map[string]int{}, terms: map[kind]*term{}, fams: map[family][]int{}}
}

// add sees to it that a kind of call is measured, or can be scaled.
func (s *sampler) add(c *collective.Call) {
	k := kindOf(c)
	if s.terms[k] != nil {
		return
	}
	t := &term{price: c.Price, exact: -1}
	s.terms[k] = t
	if why := k.unlike(); why != "" {
		t.how = "assumed: " + why
		return
	}
	tilings, whole := s.tilings(&k)
	if len(tilings) == 0 {
		where := "inside a node"
		if k.span.Domains > 1 {
			where = "on two nodes"
		}
		t.how = "assumed: no two ranks " + where
		return
	}
	if whole && s.short(&k, tilings[0]) && s.exacts < mostExact {
		s.exacts++
		t.exact, t.method, t.how = s.sample(&k, tilings[0], k.bytes), measured, "measured in full"
		return
	}
	t.method, t.how = scaled, scaledFrom(&k, tilings, whole)
	for _, x := range tilings {
		most := s.cut(&k, x)
		for _, b := range []unit.Bytes{most / fewerBytes, most} {
			s.support(k.family(), s.sample(&k, x, b))
		}
	}
}

func scaledFrom(k *kind, tilings []tiling, whole bool) string {
	if whole || tilings[0].pairs {
		return "scaled from fewer bytes"
	}
	var sizes []int
	for _, t := range tilings {
		sizes = append(sizes, t.size)
	}
	slices.Sort(sizes)
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(slices.Compact(sizes)), "[]"), " ", ", ")
	return fmt.Sprintf("scaled from %s of %d ranks", list, k.span.Size)
}

// tilings returns where a kind of call can run here, and whether its group
// fits whole.
func (s *sampler) tilings(k *kind) ([]tiling, bool) {
	switch {
	case k.op == collective.Send:
		t := s.pair(&k.span, s.perNode)
		return t, k.span.Size == 2
	case k.span.Domains < 2:
		return s.within(k.span.Size)
	case k.algorithm == collective.PAT: // one rank a node, powers of two
		list, whole := s.across(k.span.Domains, 1)
		return list, whole
	}
	return s.across(k.span.Domains, max(1, k.span.Size/k.span.Domains))
}

// short reports whether a call can run in full.
func (s *sampler) short(k *kind, t tiling) bool {
	p := s.fabric.With(k.algorithm, k.op, k.bytes, s.span(t))
	return k.bytes <= wholeSample && float64(p.Seconds-p.Latency)*s.slow <= sampleTime
}

// cut returns the bytes of the larger sample of a kind.
func (s *sampler) cut(k *kind, t tiling) unit.Bytes {
	p := s.fabric.With(k.algorithm, k.op, mostBytes, s.span(t))
	most := mostBytes * min(1, sampleTime/(float64(p.Seconds-p.Latency)*s.slow))
	return unit.Bytes(max(leastBytes, int(most)&^4095))
}

// sample returns the number of the sample of bytes of a kind on a tiling.
func (s *sampler) sample(k *kind, t tiling, bytes unit.Bytes) int {
	key := fmt.Sprint(k.op, k.algorithm, int64(bytes), t)
	if i, ok := s.at[key]; ok {
		return i
	}
	i := len(s.list)
	s.at[key] = i
	s.list = append(s.list, sampled{
		Sample: replay.Sample{Op: k.op, DType: k.dtype, Algorithm: k.algorithm, Bytes: int64(bytes), Groups: s.groups(t)},
		tiling: t, price: s.fabric.With(k.algorithm, k.op, bytes, s.span(t)),
	})
	return i
}

// support adds a sample to those of a family.
func (s *sampler) support(f family, i int) {
	for _, have := range s.fams[f] {
		if have == i {
			return
		}
	}
	s.fams[f] = append(s.fams[f], i)
}

// work returns the samples as a back end takes them.
func (s *sampler) samples() []replay.Sample {
	var out []replay.Sample
	for i := range s.list {
		out = append(out, s.list[i].Sample)
	}
	return out
}
