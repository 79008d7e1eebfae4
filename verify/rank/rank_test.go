package rank

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func items(predicted, measured []float64) []Item {
	var out []Item
	for i := range predicted {
		out = append(out, Item{Predicted: predicted[i], Measured: measured[i]})
	}
	return out
}

// TestTauB asserts values worked out by hand from Kendall's definition.
func TestTauB(t *testing.T) {
	for _, tt := range []struct {
		name         string
		p, m         []float64
		want, within float64
	}{
		{"same order", []float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1, 0},
		{"reversed", []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1, 0},
		// One of 6 pairs is discordant: (5−1)/6.
		{"one swap", []float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 4.0 / 6, 1e-12},
		// scipy.stats.kendalltau([12,2,1,12,2], [1,4,7,1,0]) = −0.47140452.
		{"ties", []float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.4714045207910316, 1e-9},
	} {
		if got := TauB(items(tt.p, tt.m)); math.Abs(got-tt.want) > tt.within {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := TauB(items([]float64{1, 1}, []float64{1, 2})); !math.IsNaN(got) {
		t.Errorf("all ties: %v, want NaN", got)
	}
}

func TestNoiseMakesTies(t *testing.T) {
	x := []Item{{1, 10, 1}, {2, 9, 1}, {30, 50, 1}}
	if got := TauB(x); got != 1 {
		t.Errorf("tau %v: a swap within the noise counts", got)
	}
	if tied, pairs := Ties(x); tied != 1 || pairs != 3 {
		t.Errorf("ties %d of %d, want 1 of 3", tied, pairs)
	}
}

func TestRegret(t *testing.T) {
	if got := Regret(items([]float64{1, 2}, []float64{12, 10})); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("regret %v, want 0.2", got)
	}
	if got := Regret(items([]float64{1, 2}, []float64{9, 10})); got != 0 {
		t.Errorf("regret %v, want 0", got)
	}
}

// TestProperties: tau-b is bounded, odd in one ranking, and blind to monotone
// maps of either.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		p := rapid.SliceOfN(rapid.Float64Range(1, 100), n, n).Draw(t, "p")
		m := rapid.SliceOfN(rapid.Float64Range(1, 100), n, n).Draw(t, "m")
		tau := TauB(items(p, m))
		if math.IsNaN(tau) {
			return
		}
		if math.Abs(tau) > 1+1e-12 {
			t.Fatalf("tau %v", tau)
		}
		neg, cube := make([]float64, n), make([]float64, n)
		for i := range m {
			neg[i], cube[i] = -m[i], m[i]*m[i]*m[i]
		}
		if got := TauB(items(p, neg)); math.Abs(got+tau) > 1e-12 {
			t.Fatalf("reversed: %v, want %v", got, -tau)
		}
		if got := TauB(items(p, cube)); math.Abs(got-tau) > 1e-12 {
			t.Fatalf("cubed: %v, want %v", got, tau)
		}
		if low, high := Interval(items(p, m), 1); low > high {
			t.Fatalf("interval %v to %v", low, high)
		}
	})
}
