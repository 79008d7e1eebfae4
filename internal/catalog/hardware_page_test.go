package catalog

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"planner/hardware"
	"planner/hardware/unit"
)

const hardwarePage = "../../docs/HARDWARE.md"

// TestHardwarePage: the page names every key that is read of a cluster TOML in
// the section of its table, and no other.
func TestHardwarePage(t *testing.T) {
	page := pageSections(t)
	for _, c := range []struct {
		section string
		read    []reflect.Type
	}{
		{"The file", []reflect.Type{reflect.TypeFor[clusterSpec]()}},
		{"[[tier]]", []reflect.Type{reflect.TypeFor[tierSpec]()}},
		{"[tier.fit]", []reflect.Type{reflect.TypeFor[hardware.LinkFit]()}},
		{"[gpu]", []reflect.Type{reflect.TypeFor[gpuSpec]()}},
		{"[gpu.peak]", []reflect.Type{reflect.TypeFor[peakSpec]()}},
		{"[gpu.fit]", []reflect.Type{reflect.TypeFor[hardware.Efficiency]()}},
		{"[gpu.link] and [gpu.measured]", []reflect.Type{reflect.TypeFor[portSpec](), reflect.TypeFor[measuredSpec]()}},
	} {
		want := map[string]bool{}
		for _, of := range c.read {
			for key := range tags(of) {
				want[key] = true
			}
		}
		got := pageKeys(page[c.section])
		for key := range want {
			if !got[key] {
				t.Errorf("%s: no row for %q, which is read", c.section, key)
			}
		}
		for key := range got {
			if !want[key] {
				t.Errorf("%s: a row for %q, which is not read", c.section, key)
			}
		}
	}
}

// pageSections returns the text below each heading of the second level.
func pageSections(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(hardwarePage)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ") {
		title, rest, _ := strings.Cut(part, "\n")
		sections[title] = rest
	}
	return sections
}

var pageKey = regexp.MustCompile("`([^`]+)`")

// pageKeys returns the words in the first column of a section's table.
func pageKeys(section string) map[string]bool {
	keys := map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, _, _ := strings.Cut(line[1:], "|")
		for _, m := range pageKey.FindAllStringSubmatch(first, -1) {
			keys[m[1]] = true
		}
	}
	return keys
}

// TestHardwarePageExamples: the files of the page are read, and mean what it
// says of them: two ports of 200 Gb/s over eight GPUs at 2:1 are 25 Gb/s a GPU.
func TestHardwarePageExamples(t *testing.T) {
	text, err := os.ReadFile(hardwarePage)
	if err != nil {
		t.Fatal(err)
	}
	var read []*hardware.Cluster
	for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		c, err := ParseCluster("mine.toml", []byte(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, c)
	}
	if len(read) != 2 {
		t.Fatalf("%d files, want 2", len(read))
	}
	net := read[0].Tiers[1]
	if net.Bandwidth != 25*unit.GBps/8 || net.NICs != 2 || net.PortRate != 25*unit.GBps || net.Oversubscription != 2 {
		t.Errorf("own cluster: %+v", net)
	}
	gpu, fit := read[1].GPU, read[1].Tiers[1].Fit
	if gpu.Memory != 40*unit.GiB || gpu.Peak[hardware.BF16] != 280e12 || gpu.Peak[hardware.FP16] != 312e12 || gpu.Fit.GEMM != 0.75 || gpu.Power != 300 {
		t.Errorf("own GPU: %+v", gpu)
	}
	if fit.Latency != 12*unit.Microsecond || fit.Reach != 0.85 || !fit.States(hardware.StatedReach) || fit.States(hardware.StatedP2P) {
		t.Errorf("own link: %+v", fit)
	}
}

// A GPU that states no host link has a usual one: offloading over a link of no
// rate would never end.
func TestOwnGPUHasHostLink(t *testing.T) {
	const file = `gpus_per_node = 8
[gpu]
memory = "40GiB"
bandwidth = "1555GB/s"
peak = { bf16 = "312TFLOP/s" }
[[tier]]
kind = "nvlink"
bandwidth = "300GB/s"
`
	c, err := ParseCluster("mine.toml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.GPU.PCIe; got < 31*unit.GBps || got > 32*unit.GBps {
		t.Errorf("host link %v, want that of PCIe 4.0 × 16", got)
	}
}
