package costmodel_test

import (
	"testing"

	"planner/costmodel"
	"planner/internal/catalog"
)

// Matrices are all of a layer but its routed experts, norms, biases and other
// vectors, which are less than a percent of it.
func TestMatricesAddUp(t *testing.T) {
	for _, name := range catalog.ModelNames() {
		m, err := catalog.Model(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Kinds {
			checkMatrices(t, name, &m.Kinds[i], m.Hidden)
		}
	}
}

func checkMatrices(t *testing.T, name string, l *costmodel.Layer, hidden int) {
	sum := int64(0)
	for _, n := range l.Matrices(hidden) {
		sum += n
	}
	p := l.Params(hidden)
	whole := p.Total() - p.Routed
	if sum > whole || float64(sum) < 0.99*float64(whole) {
		t.Errorf("%s: matrices of %d elements in a layer of %d", name, sum, whole)
	}
}
