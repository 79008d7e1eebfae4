package calibrate

import (
	"fmt"
	"math"
	"strings"
)

// gaps are the bounds of the classes of pairs, as differences of predicted
// steps.
var gaps = [...]float64{0, 0.025, 0.05, 0.1, 0.2, math.Inf(1)}

// pairs counts the pairs of a source's sweeps by gap, and those whose measured
// order is the predicted one.
type pairs struct{ all, right [len(gaps) - 1]float64 }

// pairsBySource compares the runs of each group of four or more with each other.
func pairsBySource(rs []Residual) map[string]*pairs {
	groups := map[string][]Residual{}
	for _, r := range rs {
		groups[r.Group] = append(groups[r.Group], r)
	}
	out := map[string]*pairs{}
	for _, g := range groups {
		if len(g) < 4 {
			continue
		}
		if out[g[0].Source] == nil {
			out[g[0].Source] = &pairs{}
		}
		out[g[0].Source].count(g)
	}
	return out
}

func (p *pairs) count(g []Residual) {
	for i := range g {
		for j := range i {
			a, b := g[i].measured/g[i].Ratio, g[j].measured/g[j].Ratio
			if a == b || g[i].measured == g[j].measured {
				continue // no order to be right about
			}
			k := class(math.Max(a, b)/math.Min(a, b) - 1)
			p.all[k]++
			if (a-b)*(g[i].measured-g[j].measured) > 0 {
				p.right[k]++
			}
		}
	}
}

func class(gap float64) int {
	k := 0
	for gap >= gaps[k+1] {
		k++
	}
	return k
}

// pairTable says how often the order of two layouts is right by how far apart
// they are predicted, sources alike: what strategies.Resolution rests on.
func pairTable(b *strings.Builder, rs []Residual) {
	b.WriteString("Of two runs of a sweep, predicted without it, this share is in the right order by how far apart they are predicted (sources alike):\n\n| apart by | pairs | right % |\n|---|---|---|\n")
	by := pairsBySource(rs)
	for k := range len(gaps) - 1 {
		all, right, n := 0.0, 0.0, 0.0
		for _, p := range by {
			if p.all[k] > 0 {
				all, right, n = all+p.all[k], right+p.right[k]/p.all[k], n+1
			}
		}
		if n > 0 {
			fmt.Fprintf(b, "| %s | %.0f | %.0f |\n", gapName(k), all, 100*right/n)
		}
	}
	b.WriteByte('\n')
}

func gapName(k int) string {
	if k == len(gaps)-2 {
		return fmt.Sprintf("%g %% and more", 100*gaps[k])
	}
	return fmt.Sprintf("%g to %g %%", 100*gaps[k], 100*gaps[k+1])
}
