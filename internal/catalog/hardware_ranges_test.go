package catalog

import (
	"strings"
	"testing"

	"planner/hardware"
)

// ownGPU is a cluster of one node with these keys in its [gpu] table.
func ownGPU(keys string) string {
	return "gpus_per_node = 8\n[[tier]]\nkind = \"nvlink\"\nbandwidth = \"450GB/s\"\n[gpu]\nname = \"mine\"\n" + keys
}

const ownMemory = "memory = \"80GiB\"\nbandwidth = \"3350GB/s\"\n"

// What no part has is one line, at the line of the key.
func TestOwnGPURanges(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"memory = \"0GiB\"\nbandwidth = \"3350GB/s\"\npeak = { bf16 = \"900TFLOP/s\" }", "own.toml:7: memory: 0: want such as \"80GiB\""},
		{"preset = \"h100-sxm-80gb\"\nmemory = \"0GiB\"", "own.toml:8: memory: 0: want such as \"80GiB\""},
		{"usable = \"70GiB\"\nbandwidth = \"3350GB/s\"\npeak = { bf16 = \"900TFLOP/s\" }", "own.toml:5: memory: missing: want such as \"80GiB\""},
		{ownMemory + "peak = { bf16 = \"1e-300FLOP/s\" }", "own.toml:9: bf16: 1e-300 FLOP/s: out of range: want 1 MFLOP/s to "},
		{ownMemory + "peak = { bf16 = \"1e20TFLOP/s\" }", "own.toml:9: bf16: 1e+17 PFLOP/s: out of range: want 1 MFLOP/s to "},
		{"memory = \"80GiB\"\nbandwidth = \"1e-9B/s\"\npeak = { bf16 = \"900TFLOP/s\" }", "own.toml:8: bandwidth: 1e-09 B/s: out of range: want 1 kB/s to "},
		{"preset = \"h100-sxm-80gb\"\npcie = \"1e-9B/s\"", "own.toml:8: pcie: 1e-09 B/s: out of range: want 1 kB/s to "},
		{"preset = \"h100-sxm-80gb\"\npeak = { bf16 = \"0TFLOP/s\" }", "own.toml:8: bf16: 0: in place of the preset's: want a rate above 0"},
	} {
		_, err := ParseCluster("own.toml", []byte(ownGPU(c.keys)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.keys, err, c.want)
		}
	}
}

// A precision falls back to a wider one that the part has; where there is none,
// or attention has none, it is refused. 0 is a format that the part lacks.
func TestComputes(t *testing.T) {
	for _, c := range []struct{ peak, precision, want string }{
		{`bf16 = "900TFLOP/s"`, "bf16", ""},
		{`bf16 = "900TFLOP/s"`, "fp8", ""},
		{`bf16 = "900TFLOP/s"`, "fp32", "--precision fp32: mine has no fp32 rate: want one of bf16"},
		{`fp16 = "900TFLOP/s"`, "bf16", ""},
		{`fp32 = "67TFLOP/s"`, "bf16", ""},
		{`fp8 = "1979TFLOP/s"`, "bf16", "--precision bf16: mine has no rate of 16 bits or more, which attention takes: want bf16 in its [gpu.peak]"},
		{`fp8 = "1979TFLOP/s"`, "fp8", "--precision fp8: mine has no rate of 16 bits or more, which attention takes: want bf16 in its [gpu.peak]"},
		{`fp8 = "1979TFLOP/s", fp16 = "900TFLOP/s", bf16 = "0TFLOP/s"`, "fp8", ""},
		{`tf32 = "494TFLOP/s"`, "fp32", "--precision fp32: mine has no rate of 16 bits or more, which attention takes: want bf16 in its [gpu.peak]"},
	} {
		cluster, err := ParseCluster("own.toml", []byte(ownGPU(ownMemory+"peak = { "+c.peak+" }")))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := hardware.ParsePrecision(c.precision)
		got := ""
		if err := Computes(cluster.GPU, p); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.peak, c.precision, got, c.want)
		}
	}
}

// Sizes for readers are whole nodes; rates are those that a link can have.
func TestClusterRanges(t *testing.T) {
	const good = "gpu = \"h100-sxm-80gb\"\ngpus_per_node = 8\npod = 32\n[[tier]]\nkind = \"nvlink\"\nranks = 8\nbandwidth = \"450GB/s\"\n[[tier]]\nkind = \"ib\"\nbandwidth = \"50GB/s\"\n"
	if _, err := ParseCluster("own.toml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ was, now, want string }{
		{"pod = 32", "pod = -1", "own.toml:3: pod: -1: negative: want GPUs, or no such key"},
		{"pod = 32", "pod = 3", "own.toml:3: pod: 3: no whole nodes: want a multiple of gpus_per_node, 8"},
		{"pod = 32", "total = -8", "own.toml:3: total: -8: negative"},
		{"pod = 32", "domain = 12", "own.toml:3: domain: 12: no whole nodes"},
		{"pod = 32", "price = 1e300", "own.toml:3: price: 1e+300: out of range"},
		{`"50GB/s"`, `"1e-300B/s"`, "own.toml:10: bandwidth: 1e-300 B/s: out of range: want 1 kB/s to "},
		{`"50GB/s"`, "\"50GB/s\"\nper_peer = \"1B/s\"", "own.toml:11: per_peer: 1 B/s: out of range"},
		{`"50GB/s"`, "\"50GB/s\"\noversubscription = 1e300", "own.toml:11: oversubscription: 1e+300: want 1 to 1000"},
	} {
		_, err := ParseCluster("own.toml", []byte(strings.Replace(good, c.was, c.now, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.now, err, c.want)
		}
	}
}
