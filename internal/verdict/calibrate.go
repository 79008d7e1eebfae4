package verdict

import (
	"bytes"
	"fmt"
	"slices"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/export"
)

// Calibrate fits the profile of the run to what was measured, writes it to
// file as the hardware TOML that --hardware takes, and judges the same
// measurement again with predictions of the fitted profile.
func (r *Run) Calibrate(m *Report, file string) (*Report, error) {
	fitted := r.Fit(m)
	if err := export.WriteFile(file, encode(fitted, m, nil)); err != nil {
		return nil, err
	}
	return r.Again(m, fitted)
}

// Again judges a measurement with predictions of another profile.
func (r *Run) Again(m *Report, profile *hardware.Cluster) (*Report, error) {
	p, err := Problem(r.Problem.Model, profile, r.SeqLen, r.Batch, r.Framework)
	if err != nil {
		return nil, err
	}
	after := *m
	after.Links = nil
	after.Layouts = slices.Clone(m.Layouts)
	for i, e := range r.Chosen {
		x, err := estimateOf(p, e.Layout.String())
		if err != nil {
			return nil, err
		}
		after.Layouts[i].Predicted = float64(x.Step)
	}
	after.Judge()
	return &after, nil
}

// Fit returns the profile of the run with every tier as it was measured: the
// latency and the bandwidth at which the calls of the layouts take what they
// took, and the NICs that messages of their own show.
func (r *Run) Fit(m *Report) *hardware.Cluster {
	c := *r.Profile
	c.Name, c.Title = "calibrated", "calibrated by planner verify"
	c.Tiers = slices.Clone(c.Tiers)
	for _, l := range m.Links {
		i := c.ScaleUp
		if l.Between {
			i = len(c.Tiers) - 1
		}
		t := &c.Tiers[i]
		latency, slower, ok := fitCalls(m.Calls, i)
		if !ok {
			latency, slower = l.Probed.Latency/l.Latency, l.Bandwidth/l.Probed.Shared
		}
		t.Fit.Latency = unit.Seconds(latency * l.Latency)
		each := unit.BytesPerSecond(l.Bandwidth / slower)
		t.Fit.Reach, t.Fit.Stated = 1, hardware.StatedAll // as the file that is written
		setRates(&c, t, l.Between, each.Times(l.Probed.Alone/l.Probed.Shared), each)
	}
	return &c
}

// setRates gives a tier the rates that a rank reaches alone and beside all
// others. Where those differ, ranks share NICs.
func setRates(c *hardware.Cluster, t *hardware.Tier, between bool, alone, each unit.BytesPerSecond) {
	t.Bandwidth, t.NICs = each, 0
	if !between {
		return
	}
	t.Ports, t.PortRate = c.PerNode, each
	if n := int(float64(c.PerNode)*float64(each/alone) + 0.5); n >= 1 && n < c.PerNode {
		t.NICs, t.Ports = n, n
		t.PortRate = each.Times(float64(c.PerNode) / float64(n))
	}
}

// fitCalls fits the terms of a tier to its calls, which weigh by what they cost
// the steps: see solve.
func fitCalls(calls []Call, tier int) (latency, slower float64, ok bool) {
	var rows []fitRow
	for i := range calls {
		c := &calls[i]
		if c.Tier == tier && c.Op != "broadcast" { // small ones, beside the passes
			rows = append(rows, fitRow{c.Latency / c.Measured, (c.Predicted - c.Latency) / c.Measured, c.Weight})
		}
	}
	return solve(rows)
}

type weighted struct{ value, weight float64 }

// median is the weighted median of x, which it sorts.
func median(x []weighted) float64 {
	slices.SortFunc(x, func(a, b weighted) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	total := 0.0
	for _, w := range x {
		total += w.weight
	}
	sum := 0.0
	for _, w := range x {
		if sum += w.weight; sum >= total/2 {
			return w.value
		}
	}
	return x[len(x)-1].value
}

// encode writes a cluster as the TOML that catalog.ParseCluster reads.
func encode(c *hardware.Cluster, m *Report, terms []Term) []byte {
	var b bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# Written by planner. Use it with --hardware of planner verify.\n")
	for i := range terms {
		t := &terms[i]
		where := "inside a node"
		if t.Between {
			where = "between nodes"
		}
		p("# %s, %s: latency of a step %s ± %s, rate of a rank %s ± %s (%d samples, residual %.1f %%)\n",
			where, t.Algorithm, span(t.Latency), span(t.LatencyBy), rate(t.Rate), rate(t.RateBy), t.Samples, 100*t.Residual)
	}
	p("name = %q\ntitle = %q\ngpus_per_node = %d\n", c.Name, c.Title, c.PerNode)
	p("source = [%q]\n", fmt.Sprintf("fitted on %d kinds of calls of %d layouts over %s, %d rounds", len(m.Calls), len(m.Layouts), m.cluster(), m.Rounds))
	g := c.GPU
	p("\n[gpu]\nname = %q\ntitle = %q\narch = %q\nmemory = \"%.0fGiB\"\nbandwidth = \"%gB/s\"\nsms = %d\n", g.Name, g.Title, g.Arch, g.Memory.GiB(), float64(g.MemoryBandwidth), max(1, g.SMs))
	p("\n[gpu.peak]\n")
	for _, f := range []struct {
		key string
		at  hardware.Precision
	}{{"fp32", hardware.FP32}, {"bf16", hardware.BF16}, {"fp16", hardware.FP16}, {"fp8", hardware.FP8}} {
		p("%s = \"%gTFLOP/s\"\n", f.key, float64(g.Peak[f.at])/1e12)
	}
	for i := range c.Tiers {
		encodeTier(p, &c.Tiers[i])
	}
	return b.Bytes()
}

func encodeTier(p func(string, ...any), t *hardware.Tier) {
	p("\n[[tier]]\nkind = %q\n", string(t.Kind))
	if t.Ranks > 0 {
		p("ranks = %d\n", t.Ranks)
	}
	if t.NICs > 0 {
		p("nics = %d\nnic = \"%.6gMB/s\"\n", t.NICs, float64(t.PortRate)/1e6)
	} else {
		p("bandwidth = \"%.6gMB/s\"\n", float64(t.Bandwidth)/1e6)
	}
	p("[tier.fit]\nlatency = \"%.4gus\"\nreach = %.4f\np2p = %.4f\n", float64(t.Fit.Latency)*1e6, t.Fit.Reach, t.Fit.P2P)
}
