package catalog

import (
	"os"
	"strings"
	"testing"
)

// A file of another kind is one line, whatever common keys it has; of faults
// that follow from one another only the first is said.
func TestOtherKinds(t *testing.T) {
	gpu, err := os.ReadFile("../../presets/hardware/h100-sxm-80gb.toml")
	if err != nil {
		t.Fatal(err)
	}
	cluster := func(text string) error { _, err := ParseCluster("x.toml", []byte(text)); return err }
	model := func(text string) error { _, err := ParseModelTOML("x.toml", []byte(text)); return err }
	const good = "gpu = \"h100\"\ngpus_per_node = 8\n[[tier]]\nkind = \"nvlink\"\nranks = 8\nbandwidth = \"450GB/s\"\n[[tier]]\nkind = \"ib\"\nbandwidth = \"50GB/s\"\n"
	if err := cluster(good); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{cluster(string(gpu)), "x.toml: not a cluster TOML: "},
		{model(string(gpu)), "x.toml: not a model TOML: "},
		{cluster(strings.Replace(good, "= 8", `= "x"`, 1)), `x.toml:2: gpus_per_node: is the string "x": want an integer`},
		{cluster(strings.Replace(good, "50GB/s", "5 parsecs", 2)), `x.toml:6: bandwidth: "45 parsecs": unknown unit`},
		{cluster(strings.Replace(good, "ranks = 8", `ranks = "8"`, 1)), `x.toml:5: ranks: is the string "8": want an integer`},
		{cluster(strings.Replace(good, "gpus_per_node", "gpus_per_nod", 1)), `x.toml:2: unknown key "gpus_per_nod": did you mean "gpus_per_node"?`},
		{cluster(strings.Replace(good, "gpu =", "gpuu =", 1)), `x.toml:1: unknown key "gpuu": did you mean "gpu"?`},
	} {
		if tt.err == nil || !strings.HasPrefix(tt.err.Error(), tt.want) {
			t.Errorf("%v, want %s", tt.err, tt.want)
		}
	}
	for _, err := range []error{cluster(string(gpu)), model(string(gpu)), cluster(strings.Replace(good, "50GB/s", "5 parsecs", 1)),
		cluster(strings.Replace(good, "ranks = 8", `ranks = "8"`, 1)), cluster(strings.Replace(good, "gpus_per_node", "gpus_per_nod", 1))} {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	}
}
