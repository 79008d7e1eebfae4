package calibrate

import "testing"

// Steps of 1, 1.01, 1.2 and 2 s, predicted 1, 1.02, 1.3 and 1.19: only the last
// two are in the wrong order, 9 % apart.
func TestPairsByGap(t *testing.T) {
	var rs []Residual
	for _, x := range [][2]float64{{1, 1}, {1.01, 1.02}, {1.2, 1.3}, {2, 1.19}} {
		rs = append(rs, Residual{Source: "s", Group: "g", measured: x[0], Ratio: x[0] / x[1]})
	}
	p := pairsBySource(rs)["s"]
	if p.all != [5]float64{1, 0, 1, 2, 2} || p.right != [5]float64{1, 0, 0, 2, 2} {
		t.Errorf("%+v", p)
	}
}
