package hardware_test

import (
	"testing"

	"planner/hardware"
)

func TestFamily(t *testing.T) {
	for arch, want := range map[string]string{"blackwell-ultra": "blackwell", "blackwell": "blackwell", "cdna3": "cdna3", "": ""} {
		if got := hardware.Family(arch); got != want {
			t.Errorf("%q: %q, want %q", arch, got, want)
		}
	}
}
