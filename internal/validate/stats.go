package validate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// TauB returns Kendall's tau-b of two rankings of the same things, in [-1, 1],
// and NaN when either is all ties (Kendall 1945, "The treatment of ties in
// ranking problems", Biometrika 33:239, equation 4):
//
//	τb = (C − D) / √((n0 − n1)(n0 − n2)),  n0 = n(n−1)/2,
//
// C and D counting concordant and discordant pairs, n1 and n2 the pairs tied
// in x and in y. It takes O(n²), which groups of runs allow.
func TauB(x, y []float64) float64 {
	var score, inX, inY float64
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			score += float64(a * b)
			inX += float64(a * a)
			inY += float64(b * b)
		}
	}
	return score / math.Sqrt(inX*inY)
}

// Regret returns how much slower the thing predicted fastest is than the one
// measured fastest, as a share of the latter: 0 when they are one. Of equal
// predictions the mean of their measurements counts.
func Regret(predicted, measured []float64) float64 {
	first, best := slices.Min(predicted), slices.Min(measured)
	var sum, n float64
	for i, p := range predicted {
		if p == first {
			sum += measured[i]
			n++
		}
	}
	return sum/n/best - 1
}

// Errors summarises relative errors of predictions.
type Errors struct {
	N      int     `json:"n"`
	MAPE   float64 `json:"mape"`   // mean of |predicted/measured − 1|
	Median float64 `json:"median"` // of the same
	P90    float64 `json:"p90"`
	Bias   float64 `json:"bias"` // median of predicted/measured − 1
}

// ErrorsOf summarises ratios predicted/measured; nil for none.
func ErrorsOf(ratios []float64) *Errors { return errorsOf(ratios) }

// errorsOf is ErrorsOf.
func errorsOf(ratios []float64) *Errors {
	if len(ratios) == 0 {
		return nil
	}
	off, abs := make([]float64, len(ratios)), make([]float64, len(ratios))
	for i, r := range ratios {
		off[i], abs[i] = r-1, math.Abs(r-1)
	}
	slices.Sort(off)
	slices.Sort(abs)
	return &Errors{len(ratios), stat.Mean(abs, nil), quantile(abs, 0.5), quantile(abs, 0.9), quantile(off, 0.5)}
}

// Median returns the middle of values, of an even number the mean of the middle
// two; there is at least one.
func Median(values []float64) float64 { return quantile(slices.Sorted(slices.Values(values)), 0.5) }

// quantile interpolates between the order statistics of sorted values (type 7
// of Hyndman and Fan 1996, the default of R and NumPy).
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// Confusion counts predictions of what fits against outcomes.
type Confusion struct {
	FitFit  int     `json:"ok_predicted_ok"`
	FitOOM  int     `json:"ok_predicted_oom"`
	OOMFit  int     `json:"oom_predicted_ok"`
	OOMOOM  int     `json:"oom_predicted_oom"`
	Margin  int     `json:"marginal"` // of all of them, within 5 % of capacity
	Correct float64 `json:"balanced_accuracy"`
}

// close works out the balanced accuracy, the mean of both hit rates (Brodersen
// et al. 2010); 0 where one outcome is missing.
func (c *Confusion) close() {
	ok, oom := c.FitFit+c.FitOOM, c.OOMFit+c.OOMOOM
	if ok > 0 && oom > 0 {
		c.Correct = (float64(c.FitFit)/float64(ok) + float64(c.OOMOOM)/float64(oom)) / 2
	}
}
