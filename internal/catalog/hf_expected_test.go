package catalog

import (
	"strconv"
	"strings"
	"testing"
)

// Exact totals of real configuration files.
func TestParseHFExpected(t *testing.T) {
	for _, row := range sharedTable(t, "hf_configs", "EXPECTED.tsv") {
		t.Run(row["file"], func(t *testing.T) {
			m := hfModel(t, row["file"])
			if got := strconv.FormatInt(m.Parameters(), 10); got != row["total_params"] {
				t.Errorf("parameters = %s, want %s (%s)", got, row["total_params"], row["note"])
			}
			if got := strconv.FormatInt(m.ActiveParameters(), 10); got != row["active_params"] {
				t.Errorf("active parameters = %s, want %s (%s)", got, row["active_params"], row["note"])
			}
		})
	}
}

// Real files without an exact total: what their makers print. A trailing
// comment says where the print leaves something out.
func TestParseHFPublished(t *testing.T) {
	for file, want := range map[string]string{
		"Qwen--Qwen3-1.7B.json":                               "1720574976",
		"Qwen--Qwen3-Coder-480B-A35B-Instruct.json":           "480154875392",
		"Qwen--Qwen3-VL-4B-Instruct.json":                     "4022468096", // Qwen3-4B with a tower
		"Qwen--Qwen3.5-27B.json":                              "27b",
		"Qwen--Qwen3.5-35B-A3B.json":                          "35b",
		"Qwen--Qwen3.5-122B-A10B.json":                        "122b",
		"XiaomiMiMo--MiMo-7B-Base.json":                       "7.62b", // 7.83B with its MTP layer of 0.21B
		"XiaomiMiMo--MiMo-V2-Flash.json":                      "309b",
		"google--gemma-4-26B-A4B.json":                        "25.2b",
		"moonshotai--Kimi-K2.5.json":                          "1026408232448",
		"nvidia--Llama-3_3-Nemotron-Super-49B-v1.json":        "49.9b",
		"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.json":    "31.6b",
		"nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16.json": "550b",
		"zai-org--GLM-5.json":                                 "744b",
		"zai-org--GLM-5.1.json":                               "744b",
	} {
		m := hfModel(t, file)
		if !printsAs(m.Parameters(), want, 0) {
			t.Errorf("%s: parameters = %d, published %s", file, m.Parameters(), want)
		}
	}
}

// printsAs reports whether n, written with the digits of published ("31.6b"),
// reads the same; or is within a relative tolerance.
func printsAs(n int64, published string, tolerance float64) bool {
	unit := map[byte]float64{'m': 1e6, 'b': 1e9, 't': 1e12}[published[len(published)-1]]
	digits := strings.TrimRight(published, "mbt")
	if unit == 0 {
		unit = 1
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return false
	}
	_, fraction, _ := strings.Cut(digits, ".")
	if tolerance > 0 {
		return within(float64(n), v*unit, tolerance)
	}
	if unit > 1 && fraction == "" { // "550b" may stand for 549.3
		return within(float64(n), v*unit, 0.5/v+0.0013)
	}
	return strconv.FormatFloat(float64(n)/unit, 'f', len(fraction), 64) == digits
}

// What is not counted is refused, with the reason.
func TestParseHFRefused(t *testing.T) {
	for file, want := range map[string]string{
		"deepseek-ai--DeepSeek-V4-Flash.json": "hyper-connections",
		"deepseek-ai--DeepSeek-V4-Pro.json":   "hyper-connections",
		"moonshotai--Kimi-K3.json":            "Kimi delta attention",
		"stepfun-ai--Step-3.7-Flash.json":     `no "attention_other_setting"`,
		"allenai--OLMo-7B.native.json":        `no "hidden_size"`,
	} {
		_, err := ParseHF(file, sharedFile(t, "hf_configs", file))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", file, err, want)
		}
	}
}

// Presets and stored files of the same model agree in counts and work.
func TestPresetsMatchFiles(t *testing.T) {
	for preset, file := range map[string]string{
		"llama3.1-8b": "meta-llama--Meta-Llama-3.1-8B.json", "llama3.1-70b": "meta-llama--Meta-Llama-3.1-70B.json",
		"llama3.1-405b": "meta-llama--Meta-Llama-3.1-405B.json", "llama4-maverick": "meta-llama--Llama-4-Maverick-17B-128E-Instruct.json",
		"mixtral-8x7b": "mistralai--Mixtral-8x7B-v0.1.json", "qwen3-0.6b": "Qwen--Qwen3-0.6B.json", "qwen3-8b": "Qwen--Qwen3-8B.json",
		"qwen3-32b": "Qwen--Qwen3-32B.json", "qwen3-235b-a22b": "Qwen--Qwen3-235B-A22B.json",
		"qwen3.5-27b": "Qwen--Qwen3.5-27B.json", "qwen3.5-35b-a3b": "Qwen--Qwen3.5-35B-A3B.json", "qwen3.5-122b-a10b": "Qwen--Qwen3.5-122B-A10B.json",
		"qwen3.5-397b-a17b": "Qwen--Qwen3.5-397B-A17B.json", "deepseek-v3": "deepseek-ai--DeepSeek-V3.json", "deepseek-v3.2": "deepseek-ai--DeepSeek-V3.2.json",
		"gemma3-1b": "google--gemma-3-1b-it.json", "gpt-oss-120b": "openai--gpt-oss-120b.json", "falcon-7b": "tiiuae--falcon-7b.json",
		"gpt-neox-20b": "EleutherAI--gpt-neox-20b.json", "kimi-k2": "moonshotai--Kimi-K2.5.json", "glm-5": "zai-org--GLM-5.json",
		"nemotron-3-nano-30b-a3b": "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.json", "nemotron-3-ultra-550b-a55b": "nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16.json",
	} {
		p, err := Model(preset)
		if err != nil {
			t.Fatal(err)
		}
		f := hfModel(t, file)
		if p.Parameters() != f.Parameters() || p.ActiveParameters() != f.ActiveParameters() {
			t.Errorf("%s: parameters %d (%d active), its file %d (%d)", preset, p.Parameters(), p.ActiveParameters(), f.Parameters(), f.ActiveParameters())
		}
		for _, seq := range []int{100, 4096, 32768} {
			pt, pa := p.FLOPsPerToken(seq)
			ft, fa := f.FLOPsPerToken(seq)
			if pt != ft || pa != fa {
				t.Errorf("%s at %d: FLOPs %g (%g), its file %g (%g)", preset, seq, float64(pt), float64(pa), float64(ft), float64(fa))
			}
		}
	}
}
