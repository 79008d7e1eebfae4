package calibrate

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"planner/hardware"
	"planner/internal/catalog"
)

// written is a cluster as the file that is written of it describes it.
func written(t *testing.T, name string, c *hardware.Cluster) *hardware.Cluster {
	t.Helper()
	text, err := HardwareTOML(name, c, "bench.txt", "2026-11-29")
	if err != nil {
		t.Fatal(err)
	}
	back, err := catalog.ParseCluster("ours.toml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return back
}

// The file that is written of a cluster says all that its preset says: pods,
// oversubscription, ports, prices and notes.
func TestHardwareTOMLKeepsEveryFact(t *testing.T) {
	for _, name := range slices.Concat(catalog.ClusterNames(), catalog.AcceleratorNames()) {
		want, err := catalog.Described(name)
		if err != nil {
			t.Fatal(err)
		}
		sized, err := catalog.Cluster(name, want.PerNode)
		if err != nil {
			t.Fatal(err)
		}
		sized.GPU.Fit.Correction, sized.GPU.Fit.Spread = 1.1, [2]float64{0.9, 1.2}
		got := written(t, name, sized)
		if got.Title != want.Title+", calibrated" || got.Source != want.Source+" ; bench.txt" || got.AsOf != "2026-11-29" {
			t.Errorf("%s: title %q, source %q, as of %q", name, got.Title, got.Source, got.AsOf)
		}
		if got.GPU.Fit != sized.GPU.Fit {
			t.Errorf("%s: fit %+v, want %+v", name, got.GPU.Fit, sized.GPU.Fit)
		}
		got.Name, got.Title, got.Source, got.AsOf, got.GPU.Fit = want.Name, want.Title, want.Source, want.AsOf, want.GPU.Fit
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// Links that reach 0.8 of their rates are written as ports, ranks and peers of
// 0.8 of theirs; what shares and oversubscribes them stays.
func TestHardwareTOMLScalesLinks(t *testing.T) {
	for _, name := range []string{"aws-p4d", "meta-24k-roce", "mi300x", "gb200-nvl72"} {
		c, err := catalog.Described(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Tiers {
			rateOf(&c.Tiers[i], []float64{0.8})
			c.Tiers[i].Fit.LatencyFactor = 3
		}
		for i, got := range written(t, name, c).Tiers {
			want := c.Tiers[i]
			if r := float64(got.Bandwidth / want.Bandwidth); math.Abs(r-1) > 1e-3 {
				t.Errorf("%s: tier %d: %v, want %v", name, i, got.Bandwidth, want.Bandwidth)
			}
			got.Bandwidth, got.PerPeer = want.Bandwidth, want.PerPeer
			if math.Abs(float64(got.PortRate-want.PortRate)) > 1e-3*float64(want.PortRate) || got.Fit != want.Fit {
				t.Errorf("%s: tier %d: %+v, want %+v", name, i, got, want)
			}
		}
	}
}

// A file of the user's keeps its words; calibrated again, it has one correction,
// one title and each source once.
func TestHardwareTOMLOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lab.toml")
	text := `gpus_per_node = 8 # blades
[gpu]
preset = "h100"
usable = "70GiB"
fit = { correction = 1.5, spread = [0.8, 1.3], gemm = 0.6 }
[[tier]]
kind = "nvlink"
bandwidth = "450GB/s"
`
	for range 2 {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Described(file)
		if err != nil {
			t.Fatal(err)
		}
		c.GPU.Fit.Correction, c.GPU.Fit.Spread = 1.2, [2]float64{}
		if text, err = HardwareTOML(file, c, "runs", "2026-11-29"); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"gpus_per_node = 8 # blades\n", "usable = \"70GiB\"\n", "gemm = 0.6\n", "correction = 1.2 #", "title = \"lab, calibrated\"\n", "\"runs\""} {
		if strings.Count(text, want) != 1 {
			t.Errorf("want %q once in\n%s", want, text)
		}
	}
	if strings.Contains(text, "spread") {
		t.Errorf("the spread of other runs is left in\n%s", text)
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
