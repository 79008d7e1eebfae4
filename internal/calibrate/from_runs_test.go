package calibrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// measured is a table of one layout on GB200 with these steps.
func measured(t *testing.T, gpu string, steps ...float64) []validate.Run {
	t.Helper()
	text := "framework\tpreset\tgpu\tgpus\tseq_len\tgbs\tstep_seconds\n"
	for _, s := range steps {
		text += fmt.Sprintf("megatron\tllama3.1-8b\t%s\t8\t8192\t128\t%g\n", gpu, s)
	}
	runs, err := validate.ReadRuns("r.tsv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// Steps of 4, 6 and 8 s of one layout: whatever is predicted, 6 is the factor
// and measured is 2/3 to 4/3 of what it gives. The band says no less, nor
// that of the file.
func TestBandHoldsTheRunsGiven(t *testing.T) {
	f, err := FromRuns("r.tsv", measured(t, "gb200", 6, 4, 8), "")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Spread.Low-2.0/3) > 1e-9 || math.Abs(f.Spread.High-4.0/3) > 1e-9 || !f.Wider() {
		t.Errorf("band %v, want 2/3 to 4/3", f.Spread)
	}
	var b strings.Builder
	f.Render(&b)
	if want := ", -33 to +33 % after\nnote: the runs disagree"; !strings.Contains(b.String(), want) {
		t.Errorf("%q misses %q", b.String(), want)
	}
	text, err := f.TOML("runs", "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	back, err := catalog.ParseCluster("ours.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := f.first.Case.Problem()
	p.Correction, p.Cluster.GPU.Fit = f.Correction, back.GPU.Fit
	if got := bands.Of(p, &f.first.Estimate); math.Abs(got.Low-2.0/3) > 1e-3 || math.Abs(got.High-4.0/3) > 1e-3 {
		t.Errorf("band of the file %v, want 2/3 to 4/3", got)
	}
}

// Runs that agree leave the band of the correction.
func TestBandOfRunsThatAgree(t *testing.T) {
	f, err := FromRuns("r.tsv", measured(t, "gb200", 6, 6, 6.01), "")
	if err != nil {
		t.Fatal(err)
	}
	if f.Wider() || f.Spread != f.After {
		t.Errorf("band %v, want %v", f.Spread, f.After)
	}
}

// Steps in another unit than seconds are refused: 6000 ms, 6e-6, and what
// overflows.
func TestFromRunsRefusesOtherUnits(t *testing.T) {
	for _, step := range []float64{6000, 6e-6, 1e308, 1e-320} {
		if _, err := FromRuns("r.tsv", measured(t, "gb200", step), ""); err == nil || !strings.Contains(err.Error(), "want step_seconds in seconds") {
			t.Errorf("%g s: %v", step, err)
		}
	}
}

// What keeps the measured rows from being predicted is said as validate does.
func TestFromRunsSaysWhyNothingCounts(t *testing.T) {
	_, err := FromRuns("r.tsv", measured(t, "gb2000", 6), "")
	if want := `r.tsv:2: unknown hardware "gb2000": did you mean "gb200"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = FromRuns("r.tsv", append(measured(t, "gb200", 6), measured(t, "h100-sxm-80gb", 9)...), "")
	if err == nil || !strings.HasSuffix(err.Error(), `gpu "h100-sxm-80gb" beside "gb200": want the runs of one cluster`) {
		t.Errorf("two clusters: %v", err)
	}
}
