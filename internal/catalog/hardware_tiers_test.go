package catalog

import "testing"

// A tier that no network has is told by the key that says so.
func TestTierFaults(t *testing.T) {
	const head = "gpus_per_node = 8\ngpu = \"h100-sxm-80gb\"\n"
	const ib = "[[tier]]\nkind = \"ib\"\n"
	for _, tt := range []struct{ tiers, want string }{
		{"[[tier]]\nkind = \"nvlink\"\nranks = 0\nbandwidth = \"450GB/s\"\n" + ib + "bandwidth = \"50GB/s\"\n",
			"x.toml:5: ranks: 0: want the GPUs that the tier joins: the last tier alone may leave it out"},
		{"[[tier]]\nkind = \"nvlink\"\nranks = 8\nbandwidth = \"450GB/s\"\n" + ib + "ranks = 12\nbandwidth = \"50GB/s\"\n",
			"x.toml:9: ranks: 12: want a multiple of 8, the tier below"},
		{ib + "nics = -1\nnic = \"50GB/s\"\n", "x.toml:5: nics: -1: want 0 to 1024"},
		{ib + "nics = -1\n", "x.toml:5: nics: -1: want 0 to 1024"},
		{ib + "nics = 8\n", "x.toml:3: no rate: want bandwidth (per GPU) or nics and nic (per node)"},
	} {
		if _, err := ParseCluster("x.toml", []byte(head+tt.tiers)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.tiers, err, tt.want)
		}
	}
}
