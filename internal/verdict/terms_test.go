package verdict

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/internal/export"
	"planner/verify/host"
	"planner/verify/transport"
)

// TestTerms: the terms that are measured of emulated links are those of the
// emulator: 40 MB/s and 1 ms between nodes.
func TestTerms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	run, err := Prepare(context.Background(), Question{Emulate: quickShape, Framework: "any", SeqLen: 128, Batch: 8, Rounds: 3, Budget: 10 * time.Second,
		Layouts: []string{"dp=4,zero=1", "tp=2,dp=2"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	// What else the machine does adds wake-ups to a measurement, so that one of
	// several is to be right.
	off := ""
	for range 5 {
		terms, err := run.Terms(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(terms) != 2*len(algorithms) {
			t.Fatalf("%d terms, want one for each algorithm inside a node and between nodes: %+v", len(terms), terms)
		}
		if off = wrongTerm(terms); off == "" {
			return
		}
	}
	t.Error(off)
}

// wrongTerm names a term that is not the emulator's, or "".
func wrongTerm(terms []Term) string {
	for _, x := range terms {
		switch rate, latency := x.Rate/40e6, x.Latency/1e-3; {
		case !x.Between:
		case math.Abs(rate-1) > 0.1:
			return fmt.Sprintf("%s: %.1f MB/s ± %.1f, want 40", x.Algorithm, x.Rate/1e6, x.RateBy/1e6)
		case latency < 0.9 || latency > 1.5:
			return fmt.Sprintf("%s: latency %v, want 1 ms and a wake-up", x.Algorithm, span(x.Latency))
		}
	}
	return ""
}

// TestConfidence draws measurements with a known error and wants the standard
// errors of the fit to be what repeated fits scatter by.
func TestConfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const noise, fits = 0.02, 400
	var sum, squares, stated float64
	for range fits {
		var rows []fitRow
		for i := range 12 {
			a, b := 1e-3, 2e-3*float64(i%4)
			took := (2*a + 3*b) * (1 + noise*r.NormFloat64())
			rows = append(rows, fitRow{a / took, b / took, 1})
		}
		latency, slower, ok := solve(rows)
		if !ok {
			t.Fatal("no fit")
		}
		of, _, _ := confidence(rows, latency, slower)
		sum, squares, stated = sum+latency/fits, squares+latency*latency/fits, stated+of/fits
	}
	scatter := math.Sqrt(squares - sum*sum)
	if math.Abs(sum-2) > 0.02 || stated/scatter < 0.7 || stated/scatter > 1.4 {
		t.Errorf("latency × %.3f, scatters by %.4f, stated %.4f; want 2, and both alike", sum, scatter, stated)
	}
}

// TestTermsInAFile: a profile with terms is written as TOML that says the same
// to whoever plans with it.
func TestTermsInAFile(t *testing.T) {
	s, err := transport.ParseShape("2x4:nvlink=400MB/s,ib=40MB/s,delay=1ms,nics=2")
	if err != nil {
		t.Fatal(err)
	}
	c := WithTerms(host.Profile(s), []Term{
		{Algorithm: "ring", Latency: 30e-6, Rate: 350e6}, {Algorithm: "send", Latency: 40e-6, Rate: 300e6},
		{Between: true, Algorithm: "ring", Latency: 1.1e-3, Rate: 18e6}, {Between: true, Algorithm: "send", Latency: 1e-3, Rate: 19e6},
	})
	m := &Mended{Profile: c, Before: &Report{Emulate: "2x4:ib=40MB/s", Ranks: 8, Nodes: 2}, After: &Report{}}
	file := filepath.Join(t.TempDir(), "ours.toml")
	if err := export.WriteFile(file, m.TOML()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalog.ParseCluster(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		rate    unit.BytesPerSecond
		latency unit.Seconds
		p2p     float64
	}{{350e6, 30e-6, 300.0 / 350}, {18e6, 1.1e-3, 1}} {
		x := &got.Tiers[i]
		if off(x.Bandwidth, want.rate) > 1e-4 || off(x.Fit.Latency, want.latency) > 1e-3 || off(x.Fit.P2P, want.p2p) > 1e-3 || x.Fit.Reach != 1 {
			t.Errorf("tier %d: %+v, want %+v", i, x, want)
		}
	}
	if got.PerNode != 4 || got.Tiers[1].NICs != 2 || got.GPU.Arch != host.Arch {
		t.Errorf("%+v", got)
	}
	if got.GPU.Peak[hardware.BF16] != host.Rank().Peak[hardware.BF16] {
		t.Errorf("peak %v, want %v", got.GPU.Peak[hardware.BF16], host.Rank().Peak[hardware.BF16])
	}
}

func off[T ~float64](got, want T) float64 { return math.Abs(float64(got/want) - 1) }
