package catalog

import (
	"math"
	"testing"
)

// within reports whether got is within a relative tolerance of want.
func within(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }

// FLOPs a token and MFU of Llama-3.1-405B on 128 H100, causal or not.
func TestCase030(t *testing.T) {
	c := loadCase(t, "030-mfu-405b-128-h100.toml")
	m, tolerance := c.shape(t), num(t, c.Expect, "tolerance_rel")
	total, attention := m.FLOPsPerToken(int(num(t, c.Layout, "seq")))
	if want := num(t, c.Expect, "flops_per_token"); !within(float64(total), want, 1e-4) {
		t.Errorf("FLOPs a token = %g, want %g", float64(total), want)
	}
	rate := num(t, c.Observed, "tokens_per_s_gpu") / 989e12 // H100 SXM data sheet, dense bf16
	if got, want := float64(total)*rate, num(t, c.Expect, "mfu"); !within(got, want, tolerance) {
		t.Errorf("MFU = %.4f, want %.4f", got, want)
	}
	if got, want := float64(total-attention/2)*rate, num(t, c.Expect, "mfu_causal"); !within(got, want, tolerance) {
		t.Errorf("causal MFU = %.4f, want %.4f", got, want)
	}
}

// MFU against the dense peak, and what counting the embedding would give.
func TestCase031(t *testing.T) {
	c := loadCase(t, "031-peak-flops-sparse-vs-dense.toml")
	m, tolerance := c.shape(t), num(t, c.Expect, "tolerance_rel")
	total, _ := m.FLOPsPerToken(int(num(t, c.Layout, "seq")))
	rate := num(t, c.Layout, "tokens_per_s_gpu") / (num(t, c.Expect, "peak_tflops") * 1e12)
	if got, want := float64(total)*rate, num(t, c.Expect, "mfu"); !within(got, want, tolerance) {
		t.Errorf("MFU = %.4f, want %.4f", got, want)
	}
	with := float64(total) + 6*float64(m.Embedding())
	if got, want := with*rate, num(t, c.Expect, "mfu_with_embedding"); !within(got, want, tolerance) {
		t.Errorf("MFU with the embedding = %.4f, want %.4f", got, want)
	}
}

// The MLP beside Gemma 4's experts has the dense width.
func TestCase035(t *testing.T) {
	c := loadCase(t, "035-flops-shared-expert-width.toml")
	m := hfModel(t, c.Model["file"].(string))
	for _, l := range m.Kinds {
		if got, want := float64(l.FFN.Shared)/float64(l.FFN.ExpertWidth), num(t, c.Expect, "ratio"); got != want {
			t.Errorf("shared/routed width = %d/%d, want a ratio of %v", l.FFN.Shared, l.FFN.ExpertWidth, want)
		}
	}
	published := num(t, c.Observed, "active_published_b")
	if got := float64(m.ActiveParameters()) / 1e9; math.Abs(got-published) > 0.005 {
		t.Errorf("active parameters = %.3f B, published %.2f B", got, published)
	}
}

// The input embedding is a look-up; the head is a product, tied or not.
func TestCase036(t *testing.T) {
	c := loadCase(t, "036-flops-embedding-lookup-not-matmul.toml")
	m := c.shape(t)
	if got, want := m.Parameters(), int64(num(t, c.Model, "params")); got != want {
		t.Fatalf("parameters = %d, want %d", got, want)
	}
	total, attention := m.FLOPsPerToken(int(num(t, c.Layout, "seq")))
	matmul := float64(total-attention) / 6
	if want := num(t, c.Expect, "matmul_params"); matmul != want {
		t.Errorf("parameters in products = %.0f, want %.0f", matmul, want)
	}
	if got, want := matmul/float64(m.Parameters()), num(t, c.Expect, "ratio_without_attention"); math.Abs(got-want) > 1e-4 {
		t.Errorf("ratio = %.5f, want %.4f", got, want)
	}
	c.Model["tied"] = true
	tied := c.shape(t)
	if got, _ := tied.FLOPsPerToken(2048); got != total {
		t.Errorf("tied: FLOPs a token = %g, want %g as untied", float64(got), float64(total))
	}
}
