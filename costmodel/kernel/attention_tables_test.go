package kernel_test

import (
	"strings"
	"testing"

	"planner/costmodel/kernel"
	"planner/hardware/unit"
)

// core is a row of measured_attention.tsv with what names it.
type core struct {
	source, kernel string
	row            kernel.AttentionRow
}

// cores returns the rows of measured_attention.tsv at 16 bits that name a
// shape.
func cores(t testing.TB) []core {
	parts := accelerators(t)
	var rows []core
	for _, r := range table(t, "measured_attention.tsv") {
		c := core{source: r["source"], kernel: r["kernel"], row: kernel.AttentionRow{
			Stack: r["source"],
			On:    parts[r["gpu_canonical"]],
			Spec: kernel.AttentionSpec{
				Batch: number(r["batch"]), Heads: number(r["heads"]), KVHeads: number(r["kv_heads"]),
				SeqQ: number(r["seq"]), SeqK: number(r["seq"]),
				DimQK: number(r["head_dim"]), DimV: number(r["head_dim_v"]),
				Causal: strings.EqualFold(r["causal"], "true"),
			},
		}}
		if complete(&c.row, r) {
			rows = append(rows, c)
		}
	}
	return rows
}

// complete fills in what a row leaves out and reports whether it can be used.
// Rates in the table count half of the square for causal masks and 2.5 times
// the forward operations backward.
func complete(row *kernel.AttentionRow, r map[string]string) bool {
	s := &row.Spec
	ok := true
	row.Direction, ok = map[string]kernel.Direction{
		"fwd": kernel.Fwd, "bwd": kernel.Bwd, "fwd+bwd": kernel.Both, "fwd+bwd (in-step)": kernel.Both,
	}[r["direction"]]
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	if s.DimV == 0 {
		s.DimV = s.DimQK
	}
	if s.Batch == 0 {
		s.Batch = 1
	}
	flops := 2 * s.Batch * s.Heads * s.SeqQ * s.SeqK * (s.DimQK + s.DimV) * [...]float64{1, 2.5, 3.5}[row.Direction]
	if s.Causal {
		flops /= 2
	}
	row.Time = unit.Seconds(number(r["latency_ms"])) * unit.Millisecond
	if row.Time == 0 && number(r["tflops"]) > 0 {
		row.Time = unit.Seconds(flops / (number(r["tflops"]) * 1e12))
	}
	return ok && row.On != nil && flops > 0 && row.Time > 0 && r["dtype"] != "fp8"
}

// ofKernel returns the rows of the source:kernel pairs named, to be priced as k.
func ofKernel(all []core, k kernel.AttentionKernel, pairs ...string) []kernel.AttentionRow {
	var rows []kernel.AttentionRow
	for _, c := range all {
		for _, p := range pairs {
			source, name, _ := strings.Cut(p, ":")
			if c.source == source && strings.HasPrefix(c.kernel, name) {
				c.row.Spec.Kernel = k
				rows = append(rows, c.row)
			}
		}
	}
	return rows
}

// flashFit is the measurements that one fused kernel of one file was fitted
// on, or is held against.
type flashFit struct {
	arch   string
	kernel kernel.AttentionKernel
	pairs  []string
}

// flashFits leaves out the tables of serving stacks: they copy keys and values
// to a cache, which cannot be told from the kernel at short sequences.
var flashFits = []flashFit{
	{"ampere", kernel.Flash1, []string{"A13:FlashAttention-1"}},
	{"ampere", kernel.Triton, []string{"A13:FlashAttention Triton"}},
	{"ampere", kernel.Flash2, []string{"A13:FlashAttention-2", "A11:TE"}},
	{"hopper", kernel.Flash1, []string{"A14:FlashAttention-1"}},
	{"hopper", kernel.Flash2, []string{"A14:FlashAttention-2", "A15:FlashAttention-2"}},
	{"hopper", kernel.Flash3, []string{"A15:FlashAttention-3", "A20:FlashAttention-3", "A24:FlashAttention-3"}},
	{"hopper", kernel.TE, []string{"A15:cuDNN"}},
	{"blackwell", kernel.TE, []string{"A12:TE"}},
	{"ada", kernel.Flash2, []string{"A10:flashinfer"}},
}

// flashHeld are serving kernels that no constant was fitted on.
var flashHeld = []flashFit{
	{"ampere", kernel.Flash2, []string{"A1:flash_attention"}},
	{"hopper", kernel.Flash3, []string{"A2:fa3", "A4:fa3"}},
	{"hopper", kernel.TE, []string{"A3:torch_flow"}},
	{"blackwell", kernel.TE, []string{"A5:trtllm"}},
	{"blackwell", kernel.TE, []string{"A6:torch_flow", "A8:torch_flow"}},
	{"blackwell-ultra", kernel.TE, []string{"A7:torch_flow", "A9:torch_flow"}},
}

// causal returns the rows with a causal mask: that of training, where the Triton
// kernel skips blocks less well than others.
func causal(rows []kernel.AttentionRow) []kernel.AttentionRow {
	var out []kernel.AttentionRow
	for _, r := range rows {
		if r.Spec.Causal {
			out = append(out, r)
		}
	}
	return out
}

// TestAttentionPresetsReproduce holds the files against the fits.
func TestAttentionPresetsReproduce(t *testing.T) {
	all := cores(t)
	for _, f := range flashFits {
		rows := ofKernel(all, f.kernel, f.pairs...)
		if f.kernel == kernel.Triton {
			rows = causal(rows)
		}
		c, e := kernel.CalibrateAttention(f.kernel, rows, prior(t))
		got, want := c.Attention[f.kernel], load(t, f.arch, "").Attention[f.kernel]
		what := f.arch + " " + f.kernel.String() + ": "
		near(t, what+"fwd", got.Fwd, want.Fwd)
		near(t, what+"half keys", got.HalfKeys+20, want.HalfKeys+20)
		near(t, what+"tail", got.Tail, want.Tail)
		near(t, what+"dim 64", got.Dim64, want.Dim64)
		near(t, what+"dim 192", got.Dim192, want.Dim192)
		near(t, what+"dim 256", got.Dim256, want.Dim256)
		if timed(rows, kernel.Bwd) || timed(rows, kernel.Both) {
			near(t, what+"bwd", got.Bwd, want.Bwd)
		}
		t.Logf("| %s | %s | %d | %.1f | %.1f |", f.arch, f.kernel, e.Rows, 100*e.Median, 100*e.P90)
		if e.Median > 0.09 {
			t.Errorf("%smedian error %.3f", what, e.Median)
		}
	}
}

func timed(rows []kernel.AttentionRow, d kernel.Direction) bool {
	for _, r := range rows {
		if r.Direction == d {
			return true
		}
	}
	return false
}

// TestAttentionHeldOut prices serving kernels that took no part in a fit, at
// the sequences where their copies weigh little.
func TestAttentionHeldOut(t *testing.T) {
	all := cores(t)
	for _, f := range flashHeld {
		c := load(t, f.arch, "")
		e := kernel.EvaluateAttention(ofKernel(all, f.kernel, f.pairs...), c)
		t.Logf("| %s | %s | %v | %d | %.1f | %.1f | %+.1f |", f.arch, f.kernel, f.pairs, e.Rows, 100*e.Median, 100*e.P90, 100*e.Bias)
		if e.Median > 0.20 {
			t.Errorf("%s %s: median error %.3f on %v", f.arch, f.kernel, e.Median, f.pairs)
		}
	}
}

// TestMaterialisedScores holds 15 bytes per score, which come from training
// runs, against charts of unfused attention that no constant was fitted on.
func TestMaterialisedScores(t *testing.T) {
	all := cores(t)
	for _, f := range []flashFit{
		{"ampere", kernel.FusedSoftmax, []string{"A13:PyTorch standard"}},
		{"hopper", kernel.FusedSoftmax, []string{"A14:PyTorch standard"}},
		{"hopper", kernel.FusedSoftmax, []string{"A15:Standard attention"}},
	} {
		var rows []kernel.AttentionRow
		for _, r := range ofKernel(all, f.kernel, f.pairs...) {
			if r.Spec.Causal && r.Spec.SeqQ >= 2048 {
				r.Stack = ""
				rows = append(rows, r)
			}
		}
		e := kernel.EvaluateAttention(rows, load(t, f.arch, ""))
		t.Logf("| %s | %v | %d | %.1f | %.1f | %+.1f |", f.arch, f.pairs, e.Rows, 100*e.Median, 100*e.P90, 100*e.Bias)
		if e.P90 > 0.15 {
			t.Errorf("%s %v: %+v", f.arch, f.pairs, e)
		}
	}
}
