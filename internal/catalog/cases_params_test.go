package catalog

import (
	"fmt"
	"testing"

	"planner/strategies"
)

// Grouped queries: K and V are narrower than Q.
func TestCase037(t *testing.T) {
	c := loadCase(t, "037-params-llama2-70b-gqa.toml")
	if got, want := c.shape(t).Parameters(), int64(num(t, c.Expect, "params")); got != want {
		t.Errorf("parameters = %d, want %d", got, want)
	}
	c.Model["kv_heads"] = c.Model["heads"]
	if got, want := c.shape(t).Parameters(), int64(num(t, c.Expect, "params_if_mha")); got != want {
		t.Errorf("parameters with as many K/V heads = %d, want %d", got, want)
	}
}

// Pythia's exact counts, in all and without embeddings.
func TestCase038(t *testing.T) {
	c := loadCase(t, "038-params-pythia-names.toml")
	names := []string{"pythia-70m", "pythia-160m", "pythia-410m", "pythia-1b", "pythia-1.4b", "pythia-2.8b", "pythia-6.9b", "pythia-12b"}
	totals, others, withOne := nums(t, c.Expect, "total"), nums(t, c.Expect, "non_embedding"), nums(t, c.Observed, "with_one")
	for i, name := range names {
		m, err := Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Parameters(); got != totals[i] {
			t.Errorf("%s: parameters = %d, want %d", name, got, totals[i])
		}
		if got := m.Parameters() - 2*m.Embedding(); got != others[i] {
			t.Errorf("%s: without embeddings = %d, want %d", name, got, others[i])
		}
		if got := m.Parameters() - m.Head(); got != withOne[i] {
			t.Errorf("%s: without the head = %d, want %d", name, got, withOne[i])
		}
	}
}

// Heads wider than hidden/heads, and a tied vocabulary.
func TestCase039(t *testing.T) {
	c := loadCase(t, "039-params-gemma7b-tied.toml")
	for _, v := range []struct {
		want, key string
		value     any
	}{{"params", "tied", true}, {"if_untied", "tied", false}, {"if_head_dim_192", "head_dim", int64(192)}} {
		v2 := loadCase(t, "039-params-gemma7b-tied.toml")
		v2.Model[v.key] = v.value
		if got, want := v2.shape(t).Parameters(), int64(num(t, c.Expect, v.want)); got != want {
			t.Errorf("%s = %v: parameters = %d, want %d", v.key, v.value, got, want)
		}
	}
}

// Norms on q and k (Qwen3), biases on q, k and v (Qwen2.5).
func TestCase040(t *testing.T) {
	c := loadCase(t, "040-params-qwen-exact.toml")
	want := nums(t, c.Expect, "params")
	for i, text := range []string{
		"hidden=2560\nlayers=36\nheads=32\nkv_heads=8\nhead_dim=128\nffn=9728\nvocab=151936\ntied_embeddings=true\nqk_norm=\"head\"",
		"hidden=8192\nlayers=80\nheads=64\nkv_heads=8\nffn=29568\nvocab=152064\nqkv_bias=true",
	} {
		m, err := ParseModelTOML("row.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Parameters(); got != want[i] {
			t.Errorf("row %d: parameters = %d, want %d", i, got, want[i])
		}
	}
}

// An untied head, no norms, three scalars a layer.
func TestCase041(t *testing.T) {
	c := loadCase(t, "041-params-nanogpt-162m.toml")
	for _, v := range []struct {
		tied bool
		want string
	}{{false, "params"}, {true, "params_if_tied"}} {
		text := fmt.Sprintf("hidden=%v\nlayers=%v\nheads=6\nffn=%v\nvocab=%v\ngated=false\nnorm=\"none\"\nextra=%d\ntied_embeddings=%v",
			c.Model["hidden"], c.Model["layers"], c.Model["ffn"], c.Model["vocab"],
			c.Model["extra_scalars"].(int64)/c.Model["layers"].(int64), v.tied)
		m, err := ParseModelTOML("nanogpt.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Parameters(), int64(num(t, c.Expect, v.want)); got != want {
			t.Errorf("tied %v: parameters = %d, want %d", v.tied, got, want)
		}
	}
}

// The padded vocabulary depends on the tensor-parallel degree.
func TestCase043(t *testing.T) {
	c := loadCase(t, "043-vocab-padding-changes-with-tp.toml")
	vocab := int(num(t, c.Model, "vocab"))
	want := map[int][]int64{128: nums(t, c.Expect, "padded_128"), 1: nums(t, c.Expect, "padded_1")}
	for i, tp := range nums(t, c.Layout, "tp") {
		for divisor, w := range want {
			if got := strategies.PadVocab(vocab, divisor, int(tp)); int64(got) != w[i] {
				t.Errorf("PadVocab(%d, %d, %d) = %d, want %d", vocab, divisor, tp, got, w[i])
			}
		}
	}
}
