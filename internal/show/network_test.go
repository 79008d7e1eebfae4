package show

import (
	"testing"

	"planner/internal/catalog"
)

// TestPorts holds what is shown of a network against what the vendors' pages
// say of these machines: presets/clusters names them.
func TestPorts(t *testing.T) {
	for _, c := range []struct {
		cluster       string
		ports, beside string // beside a GPU's share of the rate
	}{
		{"dgx-h100", "8 × 400 Gb/s a node", ""},
		{"aws-p5", "32 × 100 Gb/s a node", ""},
		{"aws-p4d", "4 × 100 Gb/s a node", " (4 × 100 Gb/s a node)"},
		{"meta-24k-ib", "8 × 400 Gb/s a node, oversubscribed 7:1", " (8 × 400 Gb/s a node, oversubscribed 7:1)"},
	} {
		cluster, err := catalog.Cluster(c.cluster, 4096)
		if err != nil {
			t.Fatal(err)
		}
		net := &cluster.Tiers[len(cluster.Tiers)-1]
		if Ports(net) != c.ports || Scarce(net) != c.beside {
			t.Errorf("%s: %q and %q, want %q and %q", c.cluster, Ports(net), Scarce(net), c.ports, c.beside)
		}
	}
}

// A source that was not given leaves no empty parentheses.
func TestCited(t *testing.T) {
	for _, c := range []struct{ source, asOf, want string }{
		{"", "", "none given"}, {"a page", "", "a page"}, {"a page", "2026-09-20", "a page (2026-09-20)"}, {"", "2026-09-20", "none given (2026-09-20)"},
	} {
		if got := cited(c.source, c.asOf); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.source, c.asOf, got, c.want)
		}
	}
}
