package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"planner/hardware"
	"planner/hardware/unit"
)

func TestEveryPresetLoads(t *testing.T) {
	if a, c := len(AcceleratorNames()), len(ClusterNames()); a < 30 || c < 58 {
		t.Errorf("%d accelerators and %d clusters, want at least 30 and 58", a, c)
	}
	date := regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)
	for _, name := range append(AcceleratorNames(), ClusterNames()...) {
		c, err := Cluster(name, 64)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for what, p := range map[string][2]string{"cluster": {c.Source, c.AsOf}, "accelerator": {c.GPU.Source, c.GPU.AsOf}} {
			if p[0] == "" || !date.MatchString(p[1]) {
				t.Errorf("%s: %s without source or date: %q, %q", name, what, p[0], p[1])
			}
		}
		checkSane(t, name, c)
	}
}

// checkSane holds what is true of every machine.
func checkSane(t *testing.T, name string, c *hardware.Cluster) {
	t.Helper()
	a, fit := c.GPU, c.GPU.Fit
	if c.Name != name || c.Title == "" || c.GPUs != 64 || c.PerNode < 1 {
		t.Errorf("%s: %q %q, %d GPUs, %d a node", name, c.Name, c.Title, c.GPUs, c.PerNode)
	}
	if a.Usable <= a.Memory/2 || a.Usable > a.Memory || a.PeakOf(hardware.FP8) < a.PeakOf(hardware.BF16) {
		t.Errorf("%s: usable %v of %v", name, a.Usable, a.Memory)
	}
	for what, share := range map[string]float64{"gemm": fit.GEMM, "gemm_fp8": fit.GEMMFP8, "memory": fit.Memory, "flash": fit.Flash[0]} {
		if share <= 0 || share > 1 {
			t.Errorf("%s: fit of %s %g", name, what, share)
		}
	}
	for i, tier := range c.Tiers {
		if tier.Bandwidth <= 0 || tier.Fit.Latency <= 0 || tier.Fit.Reach <= 0 || tier.Fit.P2P <= 0 {
			t.Errorf("%s: tier %d: %+v", name, i, tier)
		}
		if tier.Kind.Network() != (i > c.ScaleUp) {
			t.Errorf("%s: tier %d is %s, the scale-up tier %d", name, i, tier.Kind, c.ScaleUp)
		}
	}
}

func TestAliases(t *testing.T) {
	for alias, want := range aliases() {
		c, err := Cluster(alias, 8)
		if err != nil || c.Name != want {
			t.Errorf("%s: got %v, %v, want %s", alias, c, err, want)
		}
	}
	if a, err := Accelerator(" H100 "); err != nil || a.Name != "h100-sxm-80gb" {
		t.Errorf("H100: %v, %v", a, err)
	}
}

func TestDefaultMachines(t *testing.T) {
	for _, x := range []struct {
		name          string
		perNode, rank int
		inner, outer  unit.BytesPerSecond
		kind          hardware.LinkKind
	}{
		{"h100-sxm-80gb", 8, 8, 450, 50, hardware.InfiniBand},
		{"a100-sxm-80gb", 8, 8, 300, 25, hardware.InfiniBand},
		{"h800", 8, 8, 200, 50, hardware.InfiniBand},
		{"b200", 8, 8, 900, 50, hardware.InfiniBand},
		{"gb200", 4, 64, 900, 50, hardware.InfiniBand},
		{"gb300", 4, 64, 900, 100, hardware.InfiniBand},
		{"aws-p5", 8, 8, 450, 50, hardware.EFA},
		{"gcp-a3-mega", 8, 8, 450, 25, hardware.TCPXO},
		{"rtx-4090", 8, 8, 31, 3.125 / 8, hardware.Ethernet},
	} {
		c, err := Cluster(x.name, 1024)
		if err != nil {
			t.Fatal(err)
		}
		in, out := c.Tiers[0], c.Tiers[1]
		if c.PerNode != x.perNode || in.Ranks != x.rank || in.Bandwidth != x.inner*unit.GBps ||
			out.Bandwidth != x.outer*unit.GBps || out.Kind != x.kind {
			t.Errorf("%s: %d a node, %+v", x.name, c.PerNode, c.Tiers)
		}
	}
}

func TestOversubscribedPods(t *testing.T) {
	c, err := Cluster("meta-24k-roce", 16384)
	if err != nil {
		t.Fatal(err)
	}
	if out := c.Tiers[2]; c.Tiers[1].Ranks != 3072 || out.Oversubscription != 7 || out.Bandwidth != c.Tiers[1].Bandwidth.Times(1./7) {
		t.Errorf("got %+v", c.Tiers)
	}
}

func TestMeshPair(t *testing.T) {
	c, err := Cluster("mi300x", 8)
	if err != nil {
		t.Fatal(err)
	}
	if two, all := c.Tiers[0].Peers(2), c.Tiers[0].Peers(8); two*7 != all {
		t.Errorf("2 GPUs %v, 8 GPUs %v: want a seventh", two, all)
	}
}

func TestDomain(t *testing.T) {
	for _, x := range [][2]int{{4, 4}, {36, 36}, {100, 72}, {120, 60}, {72, 72}, {144, 72}, {128, 64}, {256, 64}, {512, 64}, {1024, 64},
		{576, 72}, {1440, 72}, {1152, 72}, {73, 72}, {64, 64}} {
		if got := Domain(x[0], 72, 4); got != x[1] {
			t.Errorf("%d GPUs: domains of %d, want %d", x[0], got, x[1])
		}
	}
}

func TestPeaks(t *testing.T) {
	for _, x := range []struct {
		name string
		p    hardware.Precision
		want float64
	}{
		{"h100", hardware.FP8Block, 1978.9}, {"h100", hardware.MXFP8, 1978.9}, {"h100", hardware.NVFP4, 1978.9},
		{"b200", hardware.NVFP4, 9000}, {"b200", hardware.MXFP8, 4500},
		{"a100", hardware.FP8, 312}, {"v100", hardware.BF16, 125}, {"mi355x", hardware.NVFP4, 5033.2},
	} {
		a, err := Accelerator(x.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(a.PeakOf(x.p) / unit.TFLOPS); !alike(got, x.want) {
			t.Errorf("%s %s: %g, want %g", x.name, x.p, got, x.want)
		}
	}
}

func alike(a, b float64) bool { return a == b || (a-b)*(a-b) < 1e-18*b*b }

func TestUnknownHardware(t *testing.T) {
	for name, want := range map[string]string{
		"h10":        `unknown hardware "h10": did you mean "h100"?`,
		"aws-p55":    `unknown hardware "aws-p55": did you mean "aws-p5"?`,
		"zzzzzzzz":   `unknown hardware "zzzzzzzz": see planner hardware`,
		"":           `unknown hardware "": see planner hardware`,
		"none.toml":  `none.toml: no such file: want the path of a cluster TOML`,
		"a\x00.toml": "cannot be read",
	} {
		_, err := Cluster(name, 8)
		if e := new(Error); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
	for _, n := range []int{-1, 0, MaxGPUs + 1} {
		if _, err := Cluster("h100", n); err == nil || !strings.HasSuffix(err.Error(), "want 1 to 1,048,576") {
			t.Errorf("%d GPUs: got %v", n, err)
		}
	}
}

const userCluster = `
title = "Lab"
gpus_per_node = 4
[gpu]
preset = "a100-sxm-40gb"
usable = "39GiB"
[gpu.fit]
gemm = 0.8
[[tier]]
kind = "nvlink"
ranks = 4
bandwidth = "300GB/s"
[[tier]]
kind = "ib"
nics = 2
nic = "200Gb/s"
[tier.fit]
latency = "9us"
`

func TestUserCluster(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lab.toml")
	if err := os.WriteFile(file, []byte(userCluster), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Cluster(file, 32)
	if err != nil {
		t.Fatal(err)
	}
	net := c.Tiers[1]
	part, err := Accelerator("a100-sxm-40gb")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "lab" || c.GPU.Usable != 39*unit.GiB || c.GPU.Fit.GEMM != 0.8 || c.GPU.Fit.Memory != part.Fit.Memory {
		t.Errorf("got %+v, %+v", c, c.GPU)
	}
	if net.Bandwidth != 12.5*unit.GBps || net.NICs != 2 || net.Fit.Latency != 9*unit.Microsecond || net.Fit.Reach != 0.86 {
		t.Errorf("got %+v", net)
	}
}

func TestUserClusterFaults(t *testing.T) {
	for text, want := range map[string]string{
		"gpu = \"h100\"\ngpus_per_nod = 8\nbogus = 1\n[[tier]]\nkind = \"nvlnk\"\nbandwith = \"3GB/s\"\nranks = \"8\"\n": `
x.toml:2: unknown key "gpus_per_nod": did you mean "gpus_per_node"?
x.toml:3: unknown key "bogus": want one of as_of, assumed, confidence, domain, gpu, gpus_per_node, name, note, pod, price, price_source, provider, source, tier, title, total, unchecked
x.toml:5: kind: unknown "nvlnk": did you mean "nvlink"?
x.toml:6: unknown key "bandwith": did you mean "bandwidth"?
x.toml:7: ranks: is the string "8": want an integer`,
		"": "\nx.toml: empty: want TOML",
		"gpu = \"h100\"\n[[tier": `
x.toml:2: not valid TOML: `,
		"\x7fELF\x00\x01": "\nx.toml: not a text file: want TOML in UTF-8",
		"gpu = \"h10\"\ngpus_per_node = 8\n[[tier]]\nkind = \"ib\"\nbandwidth = \"50GB\"\n": `
x.toml:1: unknown accelerator "h10": did you mean "h100"?
x.toml:5: bandwidth: "50GB": unknown unit "GB": want GB/s (bytes) or Gb/s (bits), e.g. "400Gb/s" or "50GB/s"`,
	} {
		_, err := ParseCluster("x.toml", []byte(text))
		if err == nil || !strings.HasPrefix("\n"+err.Error(), want) {
			t.Errorf("%q:\n%s", text, cmp.Diff(want, fmt.Sprintf("\n%v", err)))
		}
	}
}

func FuzzParseCluster(f *testing.F) {
	f.Add([]byte(userCluster))
	f.Add([]byte("gpu = 3\n[[tier]]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCluster("x.toml", text)
		if e := new(Error); err != nil && !errors.As(err, &e) {
			t.Errorf("error of type %T: %v", err, err)
		}
		if err == nil && (c.GPU == nil || len(c.Tiers) == 0 || c.PerNode < 1) {
			t.Errorf("accepted %+v", c)
		}
	})
}

func ExampleCluster() {
	c, err := Cluster("h100-sxm-80gb", 1024)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Title)
	fmt.Println(c.Nodes(), "nodes,", c.GPU.Usable, "usable,", c.Tiers[1].Bandwidth.Gbps(), "Gb/s per GPU")
	// Output:
	// DGX H100, 400 Gb/s InfiniBand per GPU
	// 128 nodes, 79.1 GiB usable, 400 Gb/s per GPU
}

// A file of another kind is refused in one line, not key by key.
func TestNotACluster(t *testing.T) {
	_, err := ParseCluster("plan.toml", []byte("format = 1\nlayout = \"tp=2\"\n[question]\ngpus = 8\n"))
	var fault *Error
	if !errors.As(err, &fault) || len(fault.Faults) != 1 || !strings.HasPrefix(fault.Faults[0], "plan.toml: not a cluster TOML: none of its keys") {
		t.Errorf("error %v", err)
	}
}
