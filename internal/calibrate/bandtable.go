package calibrate

import (
	"math"
	"slices"

	"planner/internal/bands"
)

// leastComparable is the fewest runs, of at least two groups, that make a kind
// of run of their own.
const leastComparable = 12

// Bands is the table of bands, and how it does on groups left out.
type Bands struct {
	Kinds      map[string]bands.Entry
	Unseen     bands.Entry
	Calibrated bands.Entry
	// Coverage is the share of runs, sources alike and runs alike, inside the
	// band that the other groups give; HalfWidth the median half width.
	Coverage, CoverageRuns, HalfWidth float64
}

// NewBands makes the table from residuals: within is of grouped
// cross-validation, without of leaving sources out.
func NewBands(within, without []Residual) *Bands {
	b := &Bands{Kinds: map[string]bands.Entry{}}
	kinds := byKind(within)
	for key, rs := range kinds {
		if e, ok := entry(rs, ""); ok {
			b.Kinds[key] = e
		}
	}
	b.Unseen = sourcesAlike(without)
	b.Calibrated = calibrated(within)
	b.test(within, kinds)
	return b
}

func byKind(rs []Residual) map[string][]Residual {
	m := map[string][]Residual{}
	for _, r := range rs {
		for _, k := range r.keys {
			m[k] = append(m[k], r)
		}
	}
	return m
}

// entry returns the quantiles of one kind, a group left out, widened for their
// number: the k-th of n order statistics covers k/(n+1) (Vovk et al. 2005,
// conformal prediction).
func entry(rs []Residual, without string) (bands.Entry, bool) {
	var v []float64
	var e bands.Entry
	groups := map[string]bool{}
	for _, r := range rs {
		if r.Group != without {
			v = append(v, math.Log(r.Ratio))
			groups[r.Group] = true
			e.Longest, e.CP = max(e.Longest, r.seq), max(e.CP, r.cp)
		}
	}
	if len(v) < leastComparable || len(groups) < 2 {
		return bands.Entry{}, false
	}
	slices.Sort(v)
	e.Low, e.High, e.Runs = math.Exp(order(v, 0.1)), math.Exp(order(v, 0.9)), len(v)
	return e, true
}

// order interpolates the quantile q at q·(n+1).
func order(sorted []float64, q float64) float64 {
	n := len(sorted)
	h := math.Max(0, math.Min(float64(n-1), q*float64(n+1)-1))
	i := int(h)
	if i+1 >= n {
		return sorted[n-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// sourcesAlike returns the quantiles of the sources' median residuals and
// their own spread: what to expect on a cluster never seen.
func sourcesAlike(rs []Residual) bands.Entry {
	by := map[string][]float64{}
	for _, r := range rs {
		by[r.Source] = append(by[r.Source], math.Log(r.Ratio))
	}
	var v []float64
	for _, x := range by {
		slices.Sort(x)
		for _, q := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
			v = append(v, order(x, q))
		}
	}
	slices.Sort(v)
	return bands.Entry{Low: math.Exp(order(v, 0.1)), High: math.Exp(order(v, 0.9)), Runs: len(rs)}
}

// calibrated returns what is left when one run of each group sets a common
// factor: the residuals of the others over that of the median one.
func calibrated(rs []Residual) bands.Entry {
	by := map[string][]float64{}
	source := map[string]string{}
	for _, r := range rs {
		by[r.Group] = append(by[r.Group], math.Log(r.Ratio))
		source[r.Group] = r.Source
	}
	per := map[string][]float64{}
	for g, x := range by {
		if len(x) < 3 {
			continue
		}
		slices.Sort(x)
		mid := x[len(x)/2]
		for i, v := range x {
			if i != len(x)/2 {
				per[source[g]] = append(per[source[g]], v-mid)
			}
		}
	}
	var low, high []float64
	n := 0
	for _, x := range per {
		slices.Sort(x)
		low, high = append(low, order(x, 0.1)), append(high, order(x, 0.9))
		n += len(x)
	}
	slices.Sort(low)
	slices.Sort(high)
	if n == 0 {
		return bands.Entry{Low: 0.95, High: 1.05}
	}
	return bands.Entry{Low: math.Exp(order(low, 0.5)), High: math.Exp(order(high, 0.5)), Runs: n}
}

// test measures coverage and width with the run's own group left out.
func (b *Bands) test(rs []Residual, kinds map[string][]Residual) {
	in, n := map[string]float64{}, map[string]float64{}
	var widths []float64
	cache := map[[2]string]bands.Entry{}
	all, inside := 0.0, 0.0
	for _, r := range rs {
		e := b.without(&r, kinds, cache)
		n[r.Source]++
		all++
		if e.Low <= r.Ratio && r.Ratio <= e.High {
			in[r.Source]++
			inside++
		}
		widths = append(widths, (e.High-e.Low)/2)
	}
	for s := range n {
		b.Coverage += in[s] / n[s] / float64(len(n))
	}
	b.CoverageRuns = inside / all
	slices.Sort(widths)
	b.HalfWidth = widths[len(widths)/2]
}

func (b *Bands) without(r *Residual, kinds map[string][]Residual, cache map[[2]string]bands.Entry) bands.Entry {
	for _, k := range r.keys {
		at := [2]string{k, r.Group}
		e, seen := cache[at]
		if !seen {
			e, _ = entry(kinds[k], r.Group)
			cache[at] = e
		}
		if e.Runs > 0 {
			return e
		}
	}
	return b.Unseen
}
