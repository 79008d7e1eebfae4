package strategies_test

import (
	"fmt"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// BenchmarkSearch searches the whole default space with one worker and reports
// the legal layouts that it estimates in a second of processor time.
func BenchmarkSearch(b *testing.B) {
	for _, q := range []ask.Question{
		{Model: "70b", GPUs: 1024},
		{Model: "70b", GPUs: 131072, GlobalBatch: 131072},
		{Model: "deepseek-v3", GPUs: 2048},
	} {
		b.Run(fmt.Sprintf("%s-on-%d", q.Model, q.GPUs), func(b *testing.B) {
			a, err := ask.Ask(q)
			if err != nil {
				b.Fatal(err)
			}
			legal, start := 0, cpuTime()
			b.ReportAllocs()
			for b.Loop() {
				legal += strategies.Search(b.Context(), a.Problem, strategies.Space{}, strategies.Options{Workers: 1}).Legal
			}
			b.ReportMetric(float64(legal)/(cpuTime()-start).Seconds(), "layouts/s/core")
			b.ReportMetric(float64(legal)/float64(b.N), "layouts")
		})
	}
}
