package hardware

import "testing"

// TestRunsAgreesWithPlace holds Runs against the enumeration of the grid.
func TestRunsAgreesWithPlace(t *testing.T) {
	for _, x := range [][4]int{{2, 1, 4, 2}, {8, 2, 4, 8}, {4, 4, 2, 4}, {2, 2, 1, 4}, {1, 2, 8, 4}, {8, 1, 4, 1}, {2, 1, 1, 16}} {
		tp, cp, dp, pp := x[0], x[1], x[2], x[3]
		c := Cluster{GPUs: tp * cp * dp * pp, Tiers: []Tier{{Ranks: 8}, {}}}
		want, err := c.Place([]Axis{{"tp", tp}, {"cp", cp}, {"dp", dp}, {"pp", pp}}, "tp", "pp")
		if err != nil {
			t.Fatal(err)
		}
		got := NewPlacer(&c).Runs(tp, tp*cp*dp, pp)
		if got.Size != want.Size || got.Domains != want.Domains || got.PerDomain != want.PerDomain || got.Siblings != want.Siblings || got.Tier != want.Tier {
			t.Errorf("tp=%d cp=%d dp=%d pp=%d: %+v, want %+v", tp, cp, dp, pp, got, want)
		}
	}
}
