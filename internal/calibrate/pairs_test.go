package calibrate

import "testing"

// Steps of 1, 1.01, 1.2 and 2 s, predicted 1, 1.02, 1.3 and 1.19: only the last
// two are in the wrong order, 9 % apart. Twins of the first, predicted or measured
// alike, have no order with it.
func TestPairsByGap(t *testing.T) {
	var rs []Residual
	for _, x := range [][2]float64{{1, 1}, {1.01, 1.02}, {1.2, 1.3}, {2, 1.19}} {
		rs = append(rs, Residual{Source: "s", Group: "g", measured: x[0], Ratio: x[0] / x[1]})
	}
	rs = append(rs, Residual{Source: "t", Group: "t", measured: 1, Ratio: 1}, Residual{Source: "t", Group: "t", measured: 2, Ratio: 2},
		Residual{Source: "t", Group: "t", measured: 1, Ratio: 0.5}, Residual{Source: "t", Group: "t", measured: 2, Ratio: 1})
	if p := pairsBySource(rs)["t"]; p.all != [5]float64{4: 2} || p.right != [5]float64{4: 1} {
		t.Errorf("with ties %+v", p)
	}
	p := pairsBySource(rs)["s"]
	if p.all != [5]float64{1, 0, 1, 2, 2} || p.right != [5]float64{1, 0, 0, 2, 2} {
		t.Errorf("%+v", p)
	}
}
