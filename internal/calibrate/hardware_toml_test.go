package calibrate

import (
	"testing"

	"planner/internal/catalog"
)

// An NVL72 rack joins 72 GPUs (NVIDIA's data sheet), whatever was measured on
// it: the file says so, and a job of 72 has one domain again.
func TestHardwareTOMLKeepsTheRack(t *testing.T) {
	for _, name := range []string{"gb200", "gb200-nvl72", "gb300-nvl72"} {
		c, err := catalog.Described(name)
		if err != nil {
			t.Fatal(err)
		}
		back, err := catalog.ParseCluster("ours.toml", []byte(HardwareTOML(c, &Factor{Correction: 1.1}, "runs", "2026-11-29")))
		if err != nil {
			t.Fatal(err)
		}
		if got := back.Tiers[back.ScaleUp].Ranks; got != 72 {
			t.Errorf("%s: NVLink joins %d, want 72", name, got)
		}
	}
}

// 128 ranks on racks of 72 run as two shares of 64 (the published GB200 runs):
// a bench of theirs is placed so on a cluster that has no size.
func TestBenchPlacedInSharesOfRacks(t *testing.T) {
	whole, err := catalog.Described("gb200-nvl72")
	if err != nil {
		t.Fatal(err)
	}
	sized, err := catalog.Cluster("gb200-nvl72", 128)
	if err != nil {
		t.Fatal(err)
	}
	l := Bench{Ranks: 128, Nodes: 32}
	if got, want := l.span(whole), sized.Span(1, 128); got != want {
		t.Errorf("placed as %+v, want %+v", got, want)
	}
	if n := whole.Tiers[whole.ScaleUp].Ranks; n != 72 {
		t.Errorf("placing changed the rack to %d GPUs", n)
	}
}
