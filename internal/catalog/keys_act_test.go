package catalog

import (
	"reflect"
	"strings"
	"testing"
)

// acts reads what a file means with one line more.
type acts struct {
	read    func(text string) (any, error)
	base    string
	of      reflect.Type
	readers string // keys that the pages call "for readers"
	lines   string // one a key: "key = value", a table in braces; "!" before one that only checks
}

// actBase is a cluster file by its tables.
var actBase = []struct{ table, lines string }{
	{"", "gpus_per_node = 8"}, {"[[tier]]", "kind = \"nvlink\"\nranks = 16\nbandwidth = \"300GB/s\""}, {"[[tier]]#", "kind = \"ib\"\nnics = 4\nnic = \"25GB/s\""},
	{"[gpu]", "memory = \"90GiB\"\nbandwidth = \"1555GB/s\"\nvendor = \"nvidia\""}, {"[gpu.peak]", "bf16 = \"312TFLOP/s\""},
}

// cluster reads actBase with a line in one of its tables, in place of that of its key.
func clusterWith(table string) func(line string) (any, error) {
	return func(line string) (any, error) {
		var b strings.Builder
		for _, s := range actBase {
			b.WriteString(s.table + "\n")
			lines := s.lines
			if s.table == table {
				lines += "\n" + line
			}
			b.WriteString(lastOfEach(lines))
		}
		return ParseCluster("own.toml", []byte(b.String()))
	}
}

// lastOfEach keeps of the lines of one key the last.
func lastOfEach(text string) string {
	last, order := map[string]string{}, []string{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		key, _, _ := strings.Cut(line, " ")
		if last[key] == "" {
			order = append(order, key)
		}
		last[key] = line
	}
	for i, key := range order {
		order[i] = last[key] + "\n"
	}
	return strings.Join(order, "")
}

// TestEveryKeyActs: each key of a file of the user's changes what is planned
// with, or is refused where it cannot; those for readers alone are listed.
func TestEveryKeyActs(t *testing.T) {
	const provenance = " source as_of unchecked assumed confidence note "
	for name, c := range map[string]acts{
		"cluster": {clusterWith(""), "", reflect.TypeFor[clusterSpec](), provenance + "name title provider pod total price price_source gpu tier",
			"gpus_per_node = 4\n!domain = 32"},
		"tier": {clusterWith("[[tier]]"), "", reflect.TypeFor[tierSpec](), "nics nic oversubscription rails",
			"kind = \"pcie\"\nranks = 8\nbandwidth = \"200GB/s\"\nper_peer = \"10GB/s\"\nshared = \"10GB/s\"\nfit = { latency = \"9us\" }"},
		"network": {clusterWith("[[tier]]#"), "", reflect.TypeFor[tierSpec](), "ranks bandwidth per_peer shared fit kind",
			"nics = 2\nnic = \"50GB/s\"\noversubscription = 2.0\nrails = true"},
		"gpu": {clusterWith("[gpu]"), "", reflect.TypeFor[gpuSpec](), provenance + "name title year cluster clock visible usable_how link measured peak",
			"preset = \"h100-sxm-80gb\"\nvendor = \"amd\"\narch = \"hopper\"\nmemory = \"80GiB\"\nusable = \"30GiB\"\nbandwidth = \"2TB/s\"\nsms = 99\nl2 = \"9MiB\"\npower = \"300W\"\npcie = \"9GB/s\"\nfit = { gemm = 0.5 }"},
		"peak": {clusterWith("[gpu.peak]"), "", reflect.TypeFor[peakSpec](), "",
			"fp32 = \"9TFLOP/s\"\ntf32 = \"9TFLOP/s\"\nbf16 = \"9TFLOP/s\"\nfp16 = \"9TFLOP/s\"\nfp8 = \"9TFLOP/s\"\nfp4 = \"9TFLOP/s\""},
	} {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

func (c acts) check(t *testing.T) {
	before, err := c.read(c.base)
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, key := range strings.Fields(c.readers) {
		tried[key] = true
	}
	for _, line := range strings.Split(c.lines, "\n") {
		line, checks := strings.CutPrefix(line, "!")
		key, _, _ := strings.Cut(line, " ")
		tried[key] = true
		after, err := c.read(c.base + line)
		switch {
		case checks && err == nil:
			t.Errorf("%s: is taken, and contradicts what acts", line)
		case !checks && err != nil:
			t.Error(err)
		case !checks && reflect.DeepEqual(before, after):
			t.Errorf("%s: changes nothing", line)
		}
	}
	for key := range tags(c.of) {
		if !tried[key] {
			t.Errorf("%s is read and not tried", key)
		}
	}
}

// TestEveryModelKeyActs is TestEveryKeyActs of a model TOML.
func TestEveryModelKeyActs(t *testing.T) {
	const base = "layers = 4\nhidden = 512\nheads = 8\nkv_heads = 4\nffn = 2048\nvocab = 1000\nseq_len = 4096\n"
	read := func(text string) (any, error) {
		m, err := ParseModelTOML("own.toml", []byte(lastOfEach(text)))
		if err == nil {
			m.Source = ""
		}
		return m, err
	}
	acts{read, base, reflect.TypeFor[modelSpec](), "title family source as_of published published_within published_by notes like",
		`style = "gpt"
layers = 5
hidden = 1024
heads = 16
kv_heads = 2
head_dim = 32
ffn = 1024
vocab = 2000
seq_len = 8192
positions = 4096
tied_embeddings = true
norm = "layer"
norms = 4
qk_norm = "head"
gated = false
qkv_bias = true
out_bias = true
mlp_bias = true
head_bias = true
embed_norm = true
parallel = true
output_gate = true
sinks = true
extra = 5
window = 512
!chunked = true
!full_every = 2
mla = { q_rank = 64, kv_rank = 64, nope = 32, rope = 16, v = 32 }
moe = { experts = 4, top_k = 2, ffn = 256 }
linear = { key_heads = 4, value_heads = 8, key_dim = 32, value_dim = 32, conv = 4 }
lightning = true
!mamba = { heads = 8, head_dim = 64, state = 16, groups = 1, conv = 4 }
pattern = "*-*-"
mtp_layers = 1`}.check(t)
}
