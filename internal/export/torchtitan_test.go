package export

import (
	"slices"
	"strings"
	"testing"

	"planner/internal/ask"
)

// Defaults of torchtitan v0.2.2 are other than what is priced: selective_ac_option
// "2", early_stop False (config/job_config.py). Main's Trainer.Config stops at
// CUDA graphs with a pipeline, and its registry chunks the loss (trainer.py,
// models/llama3/config_registry.py of 0.3.0).
func TestTitanRunsAsPriced(t *testing.T) {
	for _, c := range []priced{
		{"operations are chosen", "torchtitan-toml", "8b", "", "zero=3,recompute=selective", []string{`selective_ac_option = "op"`, "enable = false"}, []string{"early_stop"}, nil},
		{"recomputation stops early", "torchtitan-toml", "8b", "", "zero=3,recompute=full", []string{"early_stop = true"}, []string{"selective_ac_option"}, nil},
		{"which main cannot", "torchtitan", "8b", "", "zero=3,recompute=full", nil, nil, []string{"early_stop=False"}},
		{"experts are recomputed to the end", "torchtitan", "qwen3-30b-a3b", "", "zero=3,ep=8,recompute=full", nil, []string{"early_stop"}, nil},
		{"graphs stop a pipeline", "torchtitan", "8b", "", "zero=2,pp=4", []string{"cfg.training.disable_cuda_graphs = True"}, nil, []string{"ChunkedLossWrapper"}},
		{"fp32 is a field", "torchtitan-toml", "8b", "fp32", "zero=3", []string{`mixed_precision_param = "float32"`}, []string{"cannot express: p"}, nil},
		{"converters of v0.2.2", "torchtitan-toml", "8b", "fp8", "zero=3", []string{`converters = ["quantize.linear.float8"]`, `filter_fqns = ["output"]`, "enable = true"}, nil, nil},
		{"and of experts", "torchtitan-toml", "qwen3-30b-a3b", "fp8", "zero=3,ep=8", []string{`converters = ["quantize.linear.float8", "quantize.grouped_mm.float8"]`, "[quantize.grouped_mm.float8]"}, nil, nil},
		{"which have no pipeline", "torchtitan-toml", "qwen3-30b-a3b", "fp8", "zero=2,ep=8,pp=4", nil, []string{"[quantize.grouped_mm"}, []string{"experts stay in bf16"}},
		{"MXFP8 with tp is not compiled", "torchtitan-toml", "8b", "mxfp8", "zero=3,tp=2", []string{`converters = ["quantize.linear.mx"]`, "enable = false"}, nil, nil},
		{"main compiles 8 bits", "torchtitan", "8b", "fp8", "zero=3", []string{"cfg.compile.enable = True"}, nil, []string{"add the converter"}},
		{"training gathers", "torchtitan-toml", "8b", "", "zero=3,cp=4,cpkind=p2p", nil, []string{"rotate_method ="}, []string{"cannot express: cpkind=p2p"}},
	} {
		c.check(t, "torchtitan", "b200")
	}
}

// What torchtitan would stop at, or v0.2.2 compute in fp32.
func TestTitanRefuses(t *testing.T) {
	for _, c := range []struct{ target, framework, model, layout, says string }{
		{"torchtitan-toml", "torchtitan", "8b", "tp=2", "no DistributedDataParallel beside another degree"},
		{"torchtitan", "megatron", "qwen3-30b-a3b", "ep=8", "dealt out among shard × tp = 1 ranks"},
	} {
		q := ask.Question{Model: c.model, GPUs: 64, Framework: c.framework}
		if _, err := Export(c.target, plan(t, q, c.layout)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v", c.target, c.layout, err)
		}
	}
	one := plan(t, ask.Question{Model: "8b", GPUs: 8, Framework: "torchtitan"}, "tp=8")
	for target, want := range map[string][]string{"torchtitan": nil, "torchtitan-toml": {"zero"}} {
		if keys, refused := Gaps(target, one); !slices.Equal(keys, want) || refused != "" {
			t.Errorf("%s of one replica: %q, %q", target, keys, refused)
		}
	}
}
