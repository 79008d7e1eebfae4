package catalog

import (
	"reflect"
	"slices"
	"testing"
)

// TestClusterTOML: the file of every name describes what the name stands for.
func TestClusterTOML(t *testing.T) {
	for _, name := range slices.Concat(ClusterNames(), AcceleratorNames(), []string{"h100"}) {
		want, err := Described(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := ClusterTOML(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseCluster("mine.toml", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got.Name = want.Name
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}
