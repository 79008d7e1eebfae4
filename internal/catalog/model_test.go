package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestModelSpellings(t *testing.T) {
	for ref, want := range map[string]string{
		"llama3.1-70b": "llama3.1-70b", "70b": "llama3.1-70b", "70B": "llama3.1-70b", "Llama-3.1-70B": "llama3.1-70b",
		"meta-llama/Llama-3.1-70B": "llama3.1-70b", "8b": "llama3.1-8b", "7b": "llama2-7b", "13b": "llama2-13b",
		"405b": "llama3.1-405b", "175b": "gpt3-175b", "671b": "deepseek-v3", "235b": "qwen3-235b-a22b",
		"gpt3_175b": "gpt3-175b", "8x7b": "mixtral-8x7b", "71b": "llama3.1-70b",
	} {
		m, err := Model(ref)
		if err != nil || m.Name != want {
			t.Errorf("Model(%q) = %v, %v, want %s", ref, m, err, want)
		}
	}
}

func TestModelErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tt := range []struct{ ref, want string }{
		{"", `--model "": empty: give a preset`},
		{"lama3.1-70b", `--model "lama3.1-70b": no such preset: did you mean "llama3.1-70b"? (planner models)`},
		{"zzzzzzzzzzzz", `no such preset: give a preset (planner models), a size like 70b, or a path`},
		{"70x", `--model "70x": unknown size unit "x": want m, b or t, e.g. 70b`},
		{"70", `no size unit: want m, b or t`},
		{"0b", `not a positive size`}, {"-7b", `not a positive size`},
		{"1m", `out of range: want 10m to 100t`}, {"1000t", `out of range`},
		{"./config.json", `--model "./config.json": no such file: give a preset, a size like 70b, or a path`},
		{dir + "/", `is a folder`},
		{write("weights.bin", "abc\x00"), `not text (NUL at byte 3): want a config.json or a model TOML`},
		{write("cut.json", `{"a": `), `cut.json:1:7: unexpected end of JSON`},
		{write("empty.toml", ""), `empty.toml: empty`},
		{write("unknown.toml", "hiden = 1\n"), `unknown.toml:1: unknown key "hiden": did you mean "hidden"?`},
		{write("plan.toml", "format = 1\nquestion = 2\n"), `plan.toml: not a model TOML: none of its keys is a model's`},
		{write("type.toml", "layers = 1\nhidden = \"big\"\n"), `type.toml:2: hidden: is the string "big": want an integer`},
		{write("missing.toml", "layers = 2\nhidden = 64\nheads = 4\nvocab = 100\n"), `ffn: missing`},
		{write("zero.toml", "like = \"llama3.1-8b\"\nlayers = 0\n"), `layers 0: too small: want 1 to 10,000`},
		{write("like.toml", "like = \"nothing\"\n"), `like "nothing": no such preset`},
		{write("word.toml", "like = \"llama3.1-8b\"\nnorm = \"batch\"\n"), `norm "batch": unknown: want one of rms, layer, layer-no-bias, none`},
		{write("pattern.toml", "like = \"nemotron-h-8b\"\npattern = \"M-X\"\n"), `pattern "M-X": unknown letter`},
	} {
		_, err := Model(tt.ref)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Model(%q): error %v, want one with %q", tt.ref, err, tt.want)
			continue
		}
		checkFault(t, err)
	}
}

// A user's TOML may start from a preset.
func TestModelTOMLLike(t *testing.T) {
	m, err := ParseModelTOML("mine.toml", []byte("like = \"llama3.1-8b\"\nlayers = 16\ntied_embeddings = true\n"))
	if err != nil {
		t.Fatal(err)
	}
	// Half of Llama 3.1 8B's layers (218,112,000 each), one of its two tables.
	if want := int64(16*218_112_000 + 128256*4096 + 4096); m.Parameters() != want || m.Source != "mine.toml" {
		t.Errorf("parameters = %d from %q, want %d", m.Parameters(), m.Source, want)
	}
}

// Bare sizes give a model within 15 %, and say when it is not of that name.
func TestModelOfAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		billions := rapid.Float64Range(0.1, 9000).Draw(t, "billions")
		ref := fmt.Sprintf("%.4fb", billions) // no alias has so many digits
		m, err := Model(ref)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Notes) == 0 {
			t.Errorf("Model(%q) = %s without a note", ref, m.Name)
		}
		if p := float64(m.Parameters()); !within(p, billions*1e9, 0.15) {
			t.Errorf("Model(%q) = %s with %g parameters", ref, m.Name, p)
		}
	})
}

// Rows of published runs: sizes alone give the parameters that they print.
func TestShape(t *testing.T) {
	for _, tt := range []struct {
		shape Shape
		want  string
	}{
		{Shape{Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, FFN: 28672, Vocab: 128256, Gated: true}, "70.55b"},
		{Shape{Layers: 96, Hidden: 12288, Heads: 96, FFN: 49152, Vocab: 51200}, "174.6b"},
		{Shape{Layers: 105, Hidden: 20480, Heads: 128, FFN: 81920, Vocab: 51200}, "529.6b"},
		{Shape{Layers: 30, Hidden: 3072, Heads: 32, FFN: 12288, Vocab: 50257}, "3.6b"},
		{Shape{Layers: 32, Hidden: 4096, Heads: 32, FFN: 16384, Vocab: 50368, MaxSeq: 65536}, "6.9189b"},
		{Shape{Layers: 72, Hidden: 14336, Vocab: 250680}, "181b"},
		{Shape{Layers: 16, Hidden: 2048, Heads: 32, FFN: 8192, Vocab: 131072, Gated: true, Tied: true}, "1.34b"},
	} {
		m, err := tt.shape.Model()
		if err != nil {
			t.Errorf("%+v: %v", tt.shape, err)
			continue
		}
		if !printsAs(m.Parameters(), tt.want, 0) {
			t.Errorf("%+v: parameters = %d, want %s", tt.shape, m.Parameters(), tt.want)
		}
	}
	if _, err := (Shape{Layers: -1, Hidden: 64}).Model(); err == nil {
		t.Error("negative layers: no error")
	}
}

// FuzzModelTOML: no text panics.
func FuzzModelTOML(f *testing.F) {
	f.Add([]byte("like = \"llama3.1-8b\"\nlayers = 4\n"))
	f.Add([]byte("layers=2\nhidden=64\nheads=4\nffn=128\nvocab=100\nmoe={experts=4,top_k=2,ffn=32}\n"))
	f.Add([]byte("layers=2\nhidden=64\nheads=4\nffn=128\nvocab=100\nmla={kv_rank=8,nope=4,rope=4,v=4}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseModelTOML("fuzz.toml", text)
		if err != nil {
			checkFault(t, err)
			return
		}
		if m.Parameters() <= 0 || m.ActiveParameters() > m.Parameters() {
			t.Errorf("parameters %d, active %d", m.Parameters(), m.ActiveParameters())
		}
	})
}

func ExampleModel() {
	m, err := Model("70b")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Title, m.Parameters())
	// Output: Llama-3.1-70B 70553706496
}

func ExampleParseHF() {
	_, err := ParseHF("gpt2.json", []byte(`{"n_head": 12, "hidden_dim": 768, "num_layers": 12}`))
	fmt.Println(err)
	// Output: gpt2.json: no "hidden_size", "num_hidden_layers", "num_attention_heads": not a Hugging Face config
}

// Meta's 405 B model is of Llama 3.1: a name of another version is meant for it,
// not for the 70 B model of the version that was typed.
func TestNearestModel(t *testing.T) {
	for given, want := range map[string]string{
		"llama3-405b": "llama3.1-405b", "llama-3-405b": "llama3.1-405b", "Llama405B": "llama3.1-405b", "lama3.1-70b": "llama3.1-70b",
		"mistral-8x7b": "mixtral-8x7b", "qwen-72b": "qwen2-72b", "llama3.1-71b": "llama3.1-70b", "zzz-70b": "",
	} {
		if got := nearestModel(given, ModelNames()); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}
