package show

import (
	"bytes"
	"strings"
	"testing"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

// An NVL72 rack joins 72 GPUs by NVLink, on hosts of 4: the header, the cause
// of a diagnosis and what would help name that domain. A job of 256 is placed
// as 4 × 64, one of 64 in a single rack.
func TestDomainOfRacks(t *testing.T) {
	for _, c := range []struct {
		hardware string
		gpus     int
		want     string
	}{
		{"gb200-nvl72", 256, "64 nodes × 4 in NVLink domains of 64 · "},
		{"gb200-nvl72", 64, "16 nodes × 4 in one NVLink domain · "},
		{"h100-sxm-80gb", 256, "32 nodes × 8 · "},
	} {
		var b bytes.Buffer
		Header(&b, answer(t, ask.Question{Model: "8b", GPUs: c.gpus, Hardware: c.hardware}))
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%d on %s: no %q in %q", c.gpus, c.hardware, c.want, b.String())
		}
	}
}

func TestDiagnosisNamesTheDomain(t *testing.T) {
	for hardware, want := range map[string][2]string{
		"gb200-nvl72":   {"spans 4 NVLink domains", "shard inside an NVLink domain (HSDP)"},
		"h100-sxm-80gb": {"spans 32 nodes", "shard inside a node (HSDP)"},
	} {
		q := ask.Question{Model: "8b", GPUs: 256, Hardware: hardware, Options: catalog.ClusterOptions{InterNode: unit.BytesPerSecond(1e9)}}
		a, x := explained(t, q, "zero=3")
		found, _, _ := a.Problem.Diagnose(x)
		if len(found) == 0 || !strings.Contains(found[0].Cause, want[0]) || !strings.Contains(found[0].Knob, want[1]) {
			t.Errorf("%s: %+v, want a cause that %q and the knob %q", hardware, found, want[0], want[1])
		}
		if name := strategies.DomainName(x.Cluster); !strings.Contains(want[0], name) {
			t.Errorf("%s: domain %q", hardware, name)
		}
	}
}
