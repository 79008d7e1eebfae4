package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// LinkRate is what one tier of a cluster reaches of its model.
type LinkRate struct {
	Kind          hardware.LinkKind
	Factor        float64 // measured rate over modelled rate of large messages
	Lines         int
	Before, After float64 // median |predicted/measured − 1| of them
}

// large is the size from which a message measures bandwidth.
const large = 16 << 20

// FromBench compares measured collectives with the model of a cluster and
// scales the bandwidth of the tier that each ran on, so that large messages
// agree in the median, and then its latency by the small ones. It changes c.
func FromBench(c *hardware.Cluster, lines []Bench) ([]LinkRate, error) {
	links, err := catalog.Collectives()
	if err != nil {
		return nil, err
	}
	ratios := map[int][]float64{}
	f := collective.NewFabric(c, links)
	for _, l := range lines {
		if l.Bytes < large {
			continue
		}
		s := l.span(c)
		ratios[s.Tier] = append(ratios[s.Tier], float64(f.Time(l.Op, l.Bytes, s).Seconds/l.Seconds))
	}
	if len(ratios) == 0 {
		return nil, catalog.Errorf("no message of 16 MiB or more: the largest is %s: want nccl-tests with -e 1G or so", largest(lines))
	}
	var out []LinkRate
	for tier := range c.Tiers {
		v := ratios[tier]
		if len(v) == 0 {
			continue
		}
		r := rateOf(&c.Tiers[tier], v)
		if !(r.Factor > 1./catalog.MostCorrection && r.Factor < catalog.MostCorrection) {
			return nil, catalog.Errorf("%s: %.3g of the modelled rate: want the times of nccl-tests in microseconds, of this hardware", r.Kind, r.Factor)
		}
		out = append(out, r)
	}
	for tier := range c.Tiers {
		scaleLatency(c, links, lines, tier)
	}
	return out, nil
}

// small is the size up to which a message measures latency.
const small = 64 << 10

// scaleLatency sets the factor of a tier's latencies with which small messages
// agree in the median. Of a call that crosses it only a part scales, so that
// the factor is found in steps.
func scaleLatency(c *hardware.Cluster, links *collective.Constants, lines []Bench, tier int) {
	factor := 1.0
	for range 30 {
		f := collective.NewFabric(c, links)
		var ratios []float64
		for _, l := range lines {
			if s := l.span(c); l.Bytes <= small && s.Tier == tier {
				ratios = append(ratios, float64(l.Seconds/f.Time(l.Op, l.Bytes, s).Seconds))
			}
		}
		if len(ratios) == 0 {
			return
		}
		factor = math.Max(0.05, math.Min(20, factor*validate.Median(ratios)))
		c.Tiers[tier].Fit.LatencyFactor = factor
	}
}

func largest(lines []Bench) string {
	m := slices.MaxFunc(lines, func(a, b Bench) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return fmt.Sprintf("%.0f bytes", float64(m.Bytes))
}

func rateOf(t *hardware.Tier, ratios []float64) LinkRate {
	r := LinkRate{Kind: t.Kind, Lines: len(ratios), Factor: validate.Median(ratios), Before: offBy(ratios, 1)}
	if r.After = offBy(ratios, r.Factor); r.After > r.Before {
		r.Factor, r.After = 1, r.Before // within their scatter of the model: nothing to mend
	}
	t.Bandwidth = t.Bandwidth.Times(r.Factor)
	t.PerPeer = t.PerPeer.Times(r.Factor)
	t.PortRate = t.PortRate.Times(r.Factor)
	return r
}

// String says what the lines of a link show.
func (r *LinkRate) String() string {
	return fmt.Sprintf("%s: %.2f of the modelled rate over %d lines; error %.1f %% before, %.1f %% after",
		r.Kind, r.Factor, r.Lines, 100*r.Before, 100*r.After)
}

func offBy(ratios []float64, factor float64) float64 {
	off := make([]float64, len(ratios))
	for i, r := range ratios {
		off[i] = math.Abs(r/factor - 1)
	}
	return validate.Median(off)
}

// span places the ranks of a line: side by side on as few nodes as it names,
// in the shares of racks that a job of that size gets.
func (l *Bench) span(c *hardware.Cluster) hardware.Span {
	whole := *c
	whole.GPUs = max(l.Ranks, c.PerNode*l.Nodes)
	if n := c.Tiers[c.ScaleUp].Ranks; n > c.PerNode {
		whole.Tiers = slices.Clone(c.Tiers)
		whole.Tiers[c.ScaleUp].Ranks = catalog.Domain(whole.GPUs, n, c.PerNode)
	}
	if l.Nodes > 1 && l.Ranks/l.Nodes < c.PerNode {
		return whole.Span(c.PerNode/max(1, l.Ranks/l.Nodes), l.Ranks)
	}
	return whole.Span(1, l.Ranks)
}
