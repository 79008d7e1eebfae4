package validate

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
)

func bundledRuns(t testing.TB) []Run {
	t.Helper()
	runs, err := BundledRuns()
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// The bundled tables hold every row of the published ones.
func TestBundledRunsComplete(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/runs/*.tsv")
	if len(files) == 0 {
		t.Skip("no shared tables")
	}
	n := 0
	for _, f := range files {
		in, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := ReadRuns(f, in)
		_ = in.Close()
		if err != nil {
			t.Fatal(err)
		}
		n += len(runs)
	}
	if got := len(bundledRuns(t)); got != n {
		t.Errorf("%d bundled rows, want %d", got, n)
	}
	sources, err := runSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range bundledRuns(t) {
		if sources[r.Source].Source == "" {
			t.Fatalf("%s: no source in sources.toml", r.ID)
		}
	}
}

// A prediction reads configuration columns alone: other measurements and
// labels change nothing.
func TestPredictionsAreBlind(t *testing.T) {
	runs := bundledRuns(t)
	plain := Runs(runs)
	masked := make([]Run, len(runs))
	for i, r := range runs {
		r.ID, r.Group, r.Source = "x", "", "y"
		r.Step, r.Tokens, r.Memory = runs[(i+7)%len(runs)].Step, 0, runs[(i+3)%len(runs)].Memory
		r.Outcome = ""
		masked[i] = r
	}
	for i, r := range Runs(masked).Rows {
		w := plain.Rows[i]
		if r.Step != w.Step || r.Low != w.Low || r.High != w.High || r.Memory != w.Memory || r.Fits != w.Fits || r.Skipped != w.Skipped {
			t.Fatalf("row %d: %v %v, want %v %v", i, r.Step, r.Memory, w.Step, w.Memory)
		}
	}
}

// Every row is predicted but those whose degrees contradict their GPUs.
func TestEveryRowPredicted(t *testing.T) {
	for _, r := range Runs(bundledRuns(t)).Rows {
		switch {
		case r.Skipped != "" && !strings.Contains(r.Skipped, "not the 320 GPUs"):
			t.Errorf("%s: skipped: %s", r.ID, r.Skipped)
		case r.Skipped == "" && !(r.Step > 0 && r.Low > 0 && r.Low <= r.Step && r.Step <= r.High && !math.IsInf(r.High, 1)):
			t.Errorf("%s: step %v, band %v to %v", r.ID, r.Step, r.Low, r.High)
		}
	}
}

// scipy.stats.kendalltau's documented example, and one by hand.
func TestTauB(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.47140452079103173},
		{[]float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 1, 2}, []float64{1, 2, 3}, 2 / math.Sqrt(6)},
	} {
		if got := TauB(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("TauB(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if !math.IsNaN(TauB([]float64{1, 1}, []float64{1, 2})) {
		t.Error("all ties have an order")
	}
}

func TestTauBSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Float64Range(0, 5), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(0, 5), n, n).Draw(t, "y")
		a, b := TauB(x, y), TauB(y, x)
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) || math.Abs(a) > 1+1e-12 {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

func TestRegret(t *testing.T) {
	if got := Regret([]float64{2, 1, 3}, []float64{10, 12, 11}); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("regret %v, want 0.2: 12 over 10", got)
	}
}

func TestReadRunsFaults(t *testing.T) {
	const head = "framework\tgpu\tgpus\tseq_len\tgbs\tlayers\tzero\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.tsv: empty: want a header line with framework, gpu, gpus, seq_len, gbs"},
		{"column", "framework\tgpu\tgpus\tseq_len\n", `t.tsv:1: no column "gbs": want tab-separated columns with at least framework, gpu, gpus, seq_len, gbs`},
		{"twice", "gpu\tgpu\n", `t.tsv:1: column "gpu": given twice: want it once`},
		{"cells", head + "megatron\th100\n", "t.tsv:2: 2 cells: want 7, as the header has"},
		{"number", head + "megatron\th100-sxm-80gb\teight\t2048\t8\t\t\n", `t.tsv:2: gpus "eight": want a whole number from 1, or nothing`},
		{"blank", head + "megatron\th100-sxm-80gb\t8\t\t8\t\t\n", "t.tsv:2: seq_len: blank: a prediction needs it"},
		{"stage", head + "megatron\th100-sxm-80gb\t8\t2048\t8\t2\t4\n", `t.tsv:2: zero "4": want 0, 1, 2, 3, or nothing`},
		{"precision", strings.Replace(head, "zero", "precision", 1) + "megatron\th100-sxm-80gb\t8\t2048\t8\t2\ttf32\n",
			`t.tsv:2: precision "tf32": want bf16, fp16, fp8, fp8-block, mxfp8, nvfp4, fp32, or nothing`},
	} {
		_, err := ReadRuns("t.tsv", strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Precisions are read in letters of any case; one that the part has no rate for is
// not predicted.
func TestRunPrecisions(t *testing.T) {
	const head = "framework\tgpu\tgpus\tseq_len\tgbs\tpreset\tprecision\n"
	for _, c := range []struct {
		row     string
		want    hardware.Precision
		skipped string
	}{
		{"megatron\th100-sxm-80gb\t8\t2048\t8\tllama3.2-1b\tFP8\n", hardware.FP8, ""},
		{"megatron\th100-sxm-80gb\t8\t2048\t8\tllama3.2-1b\tBf16\n", hardware.BF16, ""},
		{"megatron\trtx-pro-6000-server\t8\t2048\t8\tllama3.2-1b\tfp32\n", hardware.FP32, "no fp32 rate"},
	} {
		runs, err := ReadRuns("t.tsv", strings.NewReader(head+c.row))
		if err != nil {
			t.Fatal(err)
		}
		got := NewBuilder().Case(&runs[0])
		if got.Work.Precision != c.want || got.Assumed["precision"] != "" || (got.Skipped != "") != (c.skipped != "") || !strings.Contains(got.Skipped, c.skipped) {
			t.Errorf("%s: %v, assumed %q, skipped %q", c.row, got.Work.Precision, got.Assumed["precision"], got.Skipped)
		}
	}
}

func FuzzReadRuns(f *testing.F) {
	f.Add("framework\tgpu\tgpus\tseq_len\tgbs\tlayers\thidden\nmegatron\th100-sxm-80gb\t8\t2048\t8\t2\t1024\n")
	f.Add("framework\tgpu\tgpus\tseq_len\tgbs\n\t\t\t\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		runs, err := ReadRuns("f", strings.NewReader(text))
		if err != nil && strings.ContainsAny(err.Error(), "\n") {
			t.Fatalf("more than one line: %q", err)
		}
		for i := range runs {
			if runs[i].GPUs > 1<<12 || runs[i].Layers > 512 {
				return // large, and slow to fuzz
			}
		}
		Runs(runs)
	})
}

// What a text says of a network, per GPU.
func TestInterNode(t *testing.T) {
	for _, c := range []struct {
		text string
		gbs  float64 // GB/s per GPU; 0: not understood
	}{
		{"8x HDR InfiniBand 200 Gb/s per node", 25},
		{"800 Gb/s per node (config inter_node_bandwidth)", 12.5},
		{"50 GB/s per GPU", 50},
		{"fast", 0},
	} {
		o, unread := interNode(&Run{InterNode: c.text, PerNode: 8})
		if got := float64(o.InterNode) / 1e9; math.Abs(got-c.gbs) > 1e-9 || unread != (c.gbs == 0) {
			t.Errorf("%q: %v GB/s (unread %v), want %v", c.text, got, unread, c.gbs)
		}
	}
}

// The figures of docs/ACCURACY.md may not slip.
func TestAccuracyHolds(t *testing.T) {
	rep := Runs(bundledRuns(t))
	most := map[string]float64{"hagemann2023": 6, "vtrain_multi": 11, "vtrain_single": 7, "dgxc": 5, "llm_foundry": 5, "mlperf": 5, "simumax_b200": 5, "bigscience": 9, "korthikanti2022": 3}
	for _, s := range rep.Summary.Sources {
		if m, ok := most[s.Source]; ok && 100*s.Step.MAPE > m {
			t.Errorf("%s: step error %.1f %%, want at most %v", s.Source, 100*s.Step.MAPE, m)
		}
	}
	if m := 100 * rep.Summary.Macro.MAPE; m > 12 {
		t.Errorf("sources alike: %.1f %%, want at most 12", m)
	}
}

// torchtitan's own table of 64 A100, which the runs list as FSDP's, priced as
// torchtitan's.
func TestTorchtitanAsFSDP(t *testing.T) {
	runs := bundledRuns(t)
	b, n := NewBuilder(), 0
	for i := range runs {
		if runs[i].Source != "fsdp_misc" || runs[i].Kernel != "sdpa" || runs[i].Outcome != "ok" {
			continue
		}
		runs[i].Framework = "torchtitan"
		c := b.Case(&runs[i])
		_, e := c.Estimate()
		if off := float64(e.Step)/c.MeasuredStep() - 1; math.Abs(off) > 0.07 {
			t.Errorf("%s: %+.0f %%", runs[i].ID, 100*off)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d runs, want 3", n)
	}
}
