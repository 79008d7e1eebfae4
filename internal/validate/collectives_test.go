package validate

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

const tableHeader = "gpu_preset\tfabric_kind\tnic_gbps_per_gpu\tgpus\tnodes\tcollective\tbytes\ttime_us\talgbw_GBs\tbusbw_GBs\tsource_url\n"

func published(t *testing.T) []Measured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "collectives", "measured.tsv"))
	if err != nil {
		t.Skip("no table of published measurements")
	}
	rows, err := ReadCollectives("measured.tsv", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The goal on rows that took part in the fit: docs/COLLECTIVES.md has the
// figures, cross-validated too.
func TestCollectivesPublished(t *testing.T) {
	rows := published(t)
	k, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Collectives(rows, k)
	if err != nil {
		t.Fatal(err)
	}
	a := r.Summary.Above
	t.Logf("above 64 KiB: %+v, up to it: %+v", a, r.Summary.Below)
	if a.Count < 600 || a.Median > 6 || a.P90 > 42 {
		t.Errorf("above 64 KiB: %+v: want median ≤ 6 %%, P90 ≤ 42 %%", a)
	}
	for _, row := range r.Rows {
		if (row.PredictedUS == nil) == (row.Skipped == "") {
			t.Fatalf("line %d: neither predicted nor skipped", row.Line)
		}
	}
}

// Calibrate reproduces the bundled file within 2 %.
func TestCalibrateReproducesPreset(t *testing.T) {
	samples, err := Samples(published(t))
	if err != nil {
		t.Fatal(err)
	}
	k, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	c, _ := collective.Calibrate(samples)
	bundled := collective.NewFabric(samples[0].Cluster, k)
	fitted := collective.NewFabric(samples[0].Cluster, &c)
	for _, s := range samples[:40] {
		a, b := bundled.Time(s.Op, s.Bytes, s.Span), fitted.Time(s.Op, s.Bytes, s.Span)
		if math.Abs(float64(a.Seconds/b.Seconds)-1) > 0.02 {
			t.Errorf("%v of %v: bundled %v, fitted again %v", s.Op, s.Bytes, a.Seconds, b.Seconds)
		}
	}
}

// A prediction must not change when the measured columns do.
func TestCollectivesBlindToMeasurement(t *testing.T) {
	k, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, cells := range []string{"100\t\t", "\t5\t", "\t\t900", "\t\t"} {
		rows, err := ReadCollectives("t", strings.NewReader(tableHeader+"h100-sxm-80gb\tnone\t\t8\t1\tall_reduce\t1048576\t"+cells+"\t\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Collectives(rows, k)
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows[0].Line != 2 {
			t.Errorf("line %d: want 2", r.Rows[0].Line)
		}
		got = append(got, *r.Rows[0].PredictedUS)
	}
	for _, v := range got[1:] {
		if v != got[0] {
			t.Errorf("predictions %v differ", got)
		}
	}
}

func TestReadCollectivesFaults(t *testing.T) {
	row := func(s string) string { return tableHeader + s }
	for name, c := range map[string]struct{ text, want string }{
		"empty":    {"", "empty"},
		"column":   {"gpus\tnodes\n", `no column "gpu_preset"`},
		"measured": {"gpu_preset\tfabric_kind\tnic_gbps_per_gpu\tgpus\tnodes\tcollective\tbytes\n", "no measurement column"},
		"short":    {row("h100-sxm-80gb\tnone\n"), "t:2: 2 columns"},
		"gpus":     {row("h100-sxm-80gb\tnone\t\t0\t1\tall_reduce\t8\t1\t\t\t\n"), "t:2: gpus \"0\": out of range"},
		"nan":      {row("h100-sxm-80gb\tnone\t\tNaN\t1\tall_reduce\t8\t1\t\t\t\n"), "not a number"},
		"uneven":   {row("h100-sxm-80gb\tib\t\t9\t2\tall_reduce\t8\t1\t\t\t\n"), "uneven"},
		"op":       {row("h100-sxm-80gb\tnone\t\t8\t1\tallredcue\t8\t1\t\t\t\n"), "unknown"},
		"fabric":   {row("h100-sxm-80gb\twifi\t\t8\t1\tall_reduce\t8\t1\t\t\t\n"), "fabric_kind"},
		"gpu":      {row("h1000\tnone\t\t8\t1\tall_reduce\t8\t1\t\t\t\n"), "gpu_preset"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadCollectives("t", strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v: want one line with %q", err, c.want)
			}
		})
	}
}

func FuzzReadCollectives(f *testing.F) {
	f.Add(tableHeader + "h100-sxm-80gb\tnone\t\t8\t1\tall_reduce\t8\t1\t\t\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadCollectives("t", strings.NewReader(text))
		if err == nil {
			for i := range rows {
				if rows[i].Machine.GPUs < 1 || rows[i].Bytes < 0 || rows[i].Bytes > unit.Bytes(1<<50) {
					t.Fatalf("accepted %+v", rows[i])
				}
			}
		}
	})
}
