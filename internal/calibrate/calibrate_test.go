package calibrate

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/catalog"
	"planner/internal/validate"
)

func bundled(t testing.TB, keep func(*validate.Run) bool) []*sample {
	t.Helper()
	runs, err := validate.BundledRuns()
	if err != nil {
		t.Fatal(err)
	}
	var some []validate.Run
	for i := range runs {
		if keep(&runs[i]) {
			some = append(some, runs[i])
		}
	}
	return samples(some)
}

// A fit on steps that known constants make finds those constants, though one
// row in ten is off by half.
func TestFitRecoversConstants(t *testing.T) {
	rows := bundled(t, func(r *validate.Run) bool {
		return r.GPU == "h100-sxm-80gb" && r.Source == "dgxc" && r.Precision == "bf16"
	})
	truth := start(rows)
	truth.gpus["hopper"].GEMM = 0.66
	truth.profiles[place{"megatron", "hopper"}].HostStep = 0.08
	for i, s := range rows {
		_, e := s.predict(truth)
		s.step = float64(e.Step)
		if i%10 == 3 {
			s.step *= 1.5
		}
	}
	f := newFit(rows, timeKnobs, gpuKnobs, stepResidual)
	c, _ := f.solve(f.prior)
	off := 0.0
	for i, x := range f.errors(c) {
		if i%10 != 3 {
			off = math.Max(off, math.Abs(x))
		}
	}
	if off > 0.03 {
		t.Errorf("largest error of the sound rows %.3f, want at most 0.03", off)
	}
	if g := c.gpus["hopper"].GEMM; math.Abs(g-0.66) > 0.05 { // half_k shares the blame
		t.Errorf("gemm %.3f, want 0.66", g)
	}
}

// The published output of a test between two H100: AllToAll of 32 MiB took
// 1282.93 µs out of place.
func TestReadBench(t *testing.T) {
	in, err := os.Open("../../../shared/inputs/nccl_tests/2x1xH100_pairwise_many_collectives.txt")
	if err != nil {
		t.Skip("no shared files")
	}
	defer func() { _ = in.Close() }()
	log, err := ReadBench("bench.txt", in)
	if err != nil {
		t.Fatal(err)
	}
	lines := log.Lines
	want := Bench{collective.AllToAll, 33554432, 1282.93e-6, 2, 2}
	if got := lines[0]; got.Op != want.Op || got.Bytes != want.Bytes || math.Abs(float64(got.Seconds-want.Seconds)) > 1e-9 || got.Ranks != 2 || got.Nodes != 2 {
		t.Errorf("first line %+v, want %+v", got, want)
	}
	ops := map[collective.Op]bool{}
	for _, l := range lines {
		ops[l.Op] = true
	}
	if !ops[collective.Send] || len(ops) != 2 {
		t.Errorf("operations %v, want AllToAll and Send", ops)
	}
}

// Links scaled to a bench agree with it, and the file reads back.
func TestFromBench(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/inputs/nccl_tests/*.txt")
	if len(files) == 0 {
		t.Skip("no shared files")
	}
	for _, f := range files {
		in, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		log, err := ReadBench(f, in)
		_ = in.Close()
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		c, err := catalog.Cluster("h100-sxm-80gb", 64)
		if err != nil {
			t.Fatal(err)
		}
		rates, err := FromBench(c, log.Lines)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		for _, r := range rates {
			if r.After > r.Before+1e-9 {
				t.Errorf("%s: %s: error %.3f before, %.3f after", filepath.Base(f), r.Kind, r.Before, r.After)
			}
		}
		c.GPU.Fit.Correction = 1.07
		back := written(t, "h100-sxm-80gb", c)
		if math.Abs(float64(back.Tiers[0].Bandwidth/c.Tiers[0].Bandwidth)-1) > 1e-3 || back.GPU.Fit.Correction != 1.07 {
			t.Errorf("%s: read back %v and %v, want %v and 1.07", filepath.Base(f), back.Tiers[0].Bandwidth, back.GPU.Fit.Correction, c.Tiers[0].Bandwidth)
		}
	}
}

// Two steps, both a quarter slower than predicted: the factor is 1.25 and
// nothing is left.
func TestFromRuns(t *testing.T) {
	const head = "framework\tpreset\tgpu\tgpus\tseq_len\tgbs\tmbs\ttp\tpp\tdp\tstep_seconds\n"
	row := func(step string, dp string) string {
		return "megatron\tllama3.1-8b\th100-sxm-80gb\t64\t8192\t128\t1\t2\t1\t" + dp + "\t" + step + "\n"
	}
	runs, err := validate.ReadRuns("r.tsv", strings.NewReader(head+row("1", "32")))
	if err != nil {
		t.Fatal(err)
	}
	rep := validate.Runs(runs)
	runs[0].Step = 1.25 * rep.Rows[0].Step
	f, err := FromRuns("r.tsv", runs, "")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Correction-1.25) > 1e-9 || f.Left > 1e-9 || math.Abs(f.Off-0.2) > 1e-9 {
		t.Errorf("correction %v, error %v then %v; want 1.25, 0.2, 0", f.Correction, f.Off, f.Left)
	}
	if f.After.High-f.After.Low > f.Before.High-f.Before.Low {
		t.Errorf("band %v before, %v after: want narrower", f.Before, f.After)
	}
}

func FuzzReadBench(f *testing.F) {
	f.Add("# Collective test starting: all_reduce_perf\n#  Rank  0 Group  0 Pid 1 on a device  0 [0]\n#  Rank  1 Group  0 Pid 2 on b device  0 [0]\n# size count type redop root time\n 33554432 1 float sum -1 100.0 1 1 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		log, err := ReadBench("f", strings.NewReader(text))
		switch {
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Fatalf("more than one line: %q", err)
		case err != nil:
			return
		}
		for _, l := range log.Lines {
			if !(l.Bytes > 0) || !(l.Seconds > 0) || l.Ranks < 2 {
				t.Fatalf("%+v", l)
			}
		}
	})
}
