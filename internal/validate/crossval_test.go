package validate

import (
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
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
		for i, p := range crossValidate(samples, by.key) {
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

// crossValidate predicts every sample with constants fitted to the samples
// that do not share its key, and returns the predictions in order.
func crossValidate(samples []collective.Sample, key func(*collective.Sample) string) []unit.Seconds {
	groups := map[string][]int{}
	for i := range samples {
		k := key(&samples[i])
		groups[k] = append(groups[k], i)
	}
	out := make([]unit.Seconds, len(samples))
	for k, held := range groups {
		var rest []collective.Sample
		for i := range samples {
			if key(&samples[i]) != k {
				rest = append(rest, samples[i])
			}
		}
		c, _ := collective.Calibrate(rest)
		for _, i := range held {
			s := &samples[i]
			out[i] = collective.NewFabric(s.Cluster, &c).Time(s.Op, s.Bytes, s.Span).Seconds
		}
	}
	return out
}
