package validate

import (
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"planner/costmodel/collective"
)

// Leave one curve out, leave one source out: the figures of
// docs/COLLECTIVES.md. A minute or two, hence on request only.
func TestCrossValidation(t *testing.T) {
	if os.Getenv("PLANNER_CROSSVALIDATE") == "" {
		t.Skip("set PLANNER_CROSSVALIDATE=1")
	}
	samples, err := Samples(published(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []struct {
		name string
		key  func(*collective.Sample) string
	}{
		{"curve", func(s *collective.Sample) string { return s.Curve }},
		{"source", func(s *collective.Sample) string { return s.Source }},
	} {
		var above, below []float64
		groups := map[string][]float64{}
		for i, p := range CrossValidate(samples, by.key) {
			e := 100 * math.Abs(float64(p/samples[i].Seconds)-1)
			if samples[i].Bytes > threshold {
				above = append(above, e)
				k := samples[i].Curve
				groups[k] = append(groups[k], e)
			} else {
				below = append(below, e)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(groups)) {
			t.Logf("%s: %+v", k, errorStat(groups[k]))
		}
		t.Logf("leave one %s out: above 64 KiB %+v, up to it %+v", by.name, errorStat(above), errorStat(below))
	}
}
