package validate

import (
	"os"
	"path/filepath"
	"testing"
)

// A cluster states its network, an accelerator alone does not, by whichever of
// their names; a file does, even one that has the name of an accelerator.
func TestStatedNetwork(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a100-sxm-80gb.toml")
	if err := os.WriteFile(file, []byte("gpu = \"a100\"\ngpus_per_node = 8\n[[tier]]\nkind = \"nvlink\"\nranks = 8\nbandwidth = \"300GB/s\"\n[[tier]]\nkind = \"ib\"\nbandwidth = \"3GB/s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		gpu, inter string
		unstated   bool
		assumed    string // of the network
		gbs        float64
	}{
		{"a100-sxm-40gb", "", true, "as the usual machine of a100-sxm-40gb", 25},
		{"a100", "fast", true, `"fast" not understood; as the usual machine of a100`, 25},
		{"a100", "10 GB/s per GPU", false, "", 10},
		{"aws-p4d", "", false, "", 6.25}, // 4 × 100 Gb/s for 8
		{"p4d", "", false, "", 6.25},
		{"dgx-a100", "fast", false, `"fast" not understood; as dgx-a100`, 25},
		{file, "", false, "", 3},
	} {
		r := Run{Framework: "megatron", Preset: "llama3.1-8b", GPU: tt.gpu, GPUs: 16, Seq: 2048, GlobalBatch: 64, PerNode: 8, InterNode: tt.inter}
		c := NewBuilder().Case(&r)
		if c.Skipped != "" || c.Unstated != tt.unstated || c.Assumed["inter_node"] != tt.assumed {
			t.Errorf("%s, %q: unstated %v, assumed %q, skipped %q", tt.gpu, tt.inter, c.Unstated, c.Assumed["inter_node"], c.Skipped)
			continue
		}
		if got := float64(c.Cluster.Tiers[1].Bandwidth) / 1e9; got != tt.gbs {
			t.Errorf("%s, %q: %v GB/s per GPU, want %v", tt.gpu, tt.inter, got, tt.gbs)
		}
	}
}
