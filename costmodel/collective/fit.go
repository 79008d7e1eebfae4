package collective

import (
	"math"
	"slices"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
)

// Sample is one measured call.
type Sample struct {
	Op      Op
	Bytes   unit.Bytes
	Cluster *hardware.Cluster
	Span    hardware.Span
	Seconds unit.Seconds
	// Rounding is the relative half-width of what the source printed: 0.5 of a
	// busbw of 0.01 GB/s says little.
	Rounding float64
	// Curve names the sweep over sizes that the sample belongs to, Source its
	// publisher; cross-validation leaves out one or the other.
	Curve, Source string
}

// Calibrate fits the constants to measured calls, starting from and held by
// Prior. Residuals are ln(predicted/measured) under a Cauchy loss of 10 %, so
// that a misconfigured network or a bad run moves little; small messages, where
// the harness's own overhead shows, weigh half.
func Calibrate(samples []Sample) (Constants, Report) {
	c := Prior()
	f := newFit(c, samples)
	n := f.search()
	out := f.constants(f.theta)
	return out, Report{Samples: len(samples), Iterations: n, Constants: f.describe(), Links: evidence(&c, samples)}
}

// Residual scales, in ln(time).
const (
	scale = 0.10 // of a good measurement
	small = 64 * float64(unit.KiB)
)

// fit is a least-squares problem in the logarithms of the constants that the
// samples touch.
type fit struct {
	prior   Constants
	samples []Sample
	knobs   []knob
	theta   []float64 // ln(value)
	centre  []float64 // ln(prior value)
	parent  []int     // the knob of the older generation that each is held to, −1: its own prior
	touches [][]int   // the samples that each knob can move
}

func newFit(prior Constants, samples []Sample) *fit {
	f := &fit{prior: prior, samples: samples}
	crossed := crossedLinks(&prior, samples)
	at := map[string]int{}
	for _, k := range knobs(&prior) {
		link := linkOf(k.name)
		touches, ok := crossed[link]
		if !ok && !slices.ContainsFunc(prior.Links, func(l Link) bool { return olderLink(l.Name) == link && crossed[l.Name] != nil }) {
			continue
		}
		parent := -1
		if older := olderLink(link); older != "" {
			if p, ok := at[older+k.name[len(link):]]; ok {
				parent = p
			}
		}
		at[k.name] = len(f.knobs)
		f.knobs = append(f.knobs, k)
		f.centre = append(f.centre, math.Log(*k.at(&prior)))
		f.parent = append(f.parent, parent)
		f.touches = append(f.touches, touches)
	}
	f.theta = append([]float64(nil), f.centre...)
	return f
}

// olderLink returns the link of the generation before, or of any, to which a
// generation's constants are held: they change less between generations than a
// prior knows of either.
func olderLink(name string) string {
	if name == "nvlink-blackwell" {
		return "nvlink-hopper"
	}
	kind, _, arch := strings.Cut(name, "-")
	if !arch || strings.HasPrefix(name, "pcie-") {
		return ""
	}
	return kind
}

// off returns by how many spreads constant j lies off what holds it.
func (f *fit) off(theta []float64, j int) float64 {
	d := theta[j] - f.centre[j]
	if p := f.parent[j]; p >= 0 {
		d -= theta[p] - f.centre[p]
	}
	return d / f.spread(j)
}

// spread returns the standard deviation in ln(value) with which a constant is
// held.
func (f *fit) spread(j int) float64 {
	if f.parent[j] >= 0 {
		return math.Min(f.knobs[j].spread, generation)
	}
	return f.knobs[j].spread
}

func linkOf(knob string) string {
	if i := strings.LastIndexByte(knob, '.'); i >= 0 {
		return knob[:i]
	}
	return knob
}

// crossedLinks returns the samples that cross each link, all under "protocol".
func crossedLinks(c *Constants, samples []Sample) map[string][]int {
	crossed := map[string][]int{}
	for i := range samples {
		s := &samples[i]
		crossed["protocol"] = append(crossed["protocol"], i)
		for t := 0; t <= s.Span.Tier; t++ {
			link, _ := c.Link(s.Cluster.Tiers[t].Kind, s.Cluster.GPU.Arch)
			if n := len(crossed[link.Name]); n == 0 || crossed[link.Name][n-1] != i {
				crossed[link.Name] = append(crossed[link.Name], i)
			}
		}
	}
	return crossed
}

// constants returns the constants at theta.
func (f *fit) constants(theta []float64) Constants {
	c := f.prior
	c.Links = append([]Link(nil), f.prior.Links...)
	for i, k := range f.knobs {
		v := math.Exp(theta[i])
		if k.max > 0 {
			v = math.Min(v, k.max)
		}
		*k.at(&c) = v
	}
	return c
}

// residuals writes ln(predicted/measured)/σ of every sample at theta.
func (f *fit) residuals(theta, dst []float64) {
	price := f.pricing(theta)
	for i := range f.samples {
		dst[i] = price(i)
	}
}

// pricing returns the residual of a sample at theta.
func (f *fit) pricing(theta []float64) func(i int) float64 {
	c := f.constants(theta)
	fabrics := map[*hardware.Cluster]*Fabric{}
	return func(i int) float64 {
		s := &f.samples[i]
		fab := fabrics[s.Cluster]
		if fab == nil {
			fab = NewFabric(s.Cluster, &c)
			fabrics[s.Cluster] = fab
		}
		return math.Log(float64(fab.Time(s.Op, s.Bytes, s.Span).Seconds/s.Seconds)) / s.sigma()
	}
}

// sigma is the expected scatter of a sample around a right model.
func (s *Sample) sigma() float64 {
	v := scale*scale + s.Rounding*s.Rounding
	if float64(s.Bytes) < small {
		v *= 2
	}
	return math.Sqrt(v)
}
