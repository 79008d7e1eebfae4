// Package rank compares a predicted order with a measured one: Kendall's
// tau-b with ties under the noise, its confidence interval, and the regret of
// following the prediction.
package rank

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Item is one thing that is ranked. Times are in seconds; less is better.
type Item struct {
	Predicted, Measured float64
	Error               float64 // standard error of Measured
}

// Apart is by how many standard errors of their difference two measurements
// must differ not to be a tie: 95 % of a normal distribution.
const Apart = 1.96

// Tied reports whether the measurements of two items cannot be told apart.
func Tied(a, b Item) bool {
	return math.Abs(a.Measured-b.Measured) <= noise(a, b)
}

func noise(a, b Item) float64 { return Apart * math.Hypot(a.Error, b.Error) }

// order returns the sign of the difference of x and y, 0 if it is below the
// noise.
func order(x, y, noise float64) float64 {
	switch d := x - y; {
	case d > noise:
		return 1
	case d < -noise:
		return -1
	}
	return 0
}

// TauB returns Kendall's tau-b of the predicted and the measured order, in
// [-1, 1], and NaN when either is all ties (Kendall 1945, "The treatment of
// ties in ranking problems", Biometrika 33:239, equation 4):
//
//	τb = (C − D) / √((n0 − n1)(n0 − n2)),  n0 = n(n−1)/2,
//
// C and D counting concordant and discordant pairs, n1 and n2 the pairs tied
// in the prediction and in the measurement. A difference below the noise of
// the two measurements is a tie in either.
func TauB(items []Item) float64 {
	var score, inP, inM float64
	for i, a := range items {
		for _, b := range items[:i] {
			n := noise(a, b)
			p, m := order(a.Predicted, b.Predicted, n), order(a.Measured, b.Measured, n)
			score += p * m
			inP += p * p
			inM += m * m
		}
	}
	return score / math.Sqrt(inP*inM)
}

// resamples is how many bootstrap samples an interval takes (Efron and
// Tibshirani 1993, chapter 13, want 1000 for percentiles).
const resamples = 2000

// Interval returns the 95 % percentile bootstrap interval of TauB over items,
// the same for the same seed; NaN for fewer than 3 items.
func Interval(items []Item, seed uint64) (low, high float64) {
	if len(items) < 3 {
		return math.NaN(), math.NaN()
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(items))))
	var taus []float64
	pick := make([]Item, len(items))
	for range resamples {
		for i := range pick {
			pick[i] = items[r.IntN(len(items))]
		}
		if t := TauB(pick); !math.IsNaN(t) {
			taus = append(taus, t)
		}
	}
	if len(taus) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(taus)
	at := func(q float64) float64 { return taus[int(q*float64(len(taus)-1)+0.5)] }
	return at(0.025), at(0.975)
}

// Regret returns how much slower the item predicted fastest is than the one
// measured fastest, as a share of the latter: 0 when they are one. Of equal
// predictions the mean of their measurements counts. It panics without items.
func Regret(items []Item) float64 {
	first, best := math.Inf(1), math.Inf(1)
	for _, x := range items {
		first, best = min(first, x.Predicted), min(best, x.Measured)
	}
	var sum, n float64
	for _, x := range items {
		if x.Predicted == first {
			sum += x.Measured
			n++
		}
	}
	return sum/n/best - 1
}

// Ties returns how many pairs of items cannot be told apart, and how many
// pairs there are.
func Ties(items []Item) (tied, pairs int) {
	for i, a := range items {
		for _, b := range items[:i] {
			pairs++
			if Tied(a, b) {
				tied++
			}
		}
	}
	return tied, pairs
}

// Error returns the mean of |predicted/measured − 1|.
func Error(items []Item) float64 {
	sum := 0.0
	for _, x := range items {
		sum += math.Abs(x.Predicted/x.Measured - 1)
	}
	return sum / float64(len(items))
}
