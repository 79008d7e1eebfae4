package diagnose

import (
	"strings"
	"testing"

	"planner/internal/ask"
)

func fuzzFile(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(name, text)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		_, _ = Resolve(c, ask.Question{Model: "8b", GPUs: 8})
	})
}

func FuzzDeepSpeed(f *testing.F) {
	fuzzFile(f, "a.json", `{"train_batch_size":8,"zero_optimization":{"stage":2,"reduce_bucket_size":5e8}}`, `{"bf16":{"enabled":"auto"}}`, `{"a":null}`)
}

func FuzzMegatronArgs(f *testing.F) {
	fuzzFile(f, "a.sh", "--tensor-model-parallel-size 4 --micro-batch-size 1", "--num-layers 8 \\\n --num-layers-per-virtual-pipeline-stage 1", "--global-batch-size=8")
}

func FuzzMegatronYAML(f *testing.F) {
	fuzzFile(f, "a.yaml", "modules:\n  pre:\n    overrides:\n      tensor_model_parallel_size: ${TP:2}\n", "micro_batch_size: 1\nmodel: llama3.1_70B.yaml")
}

func FuzzTitan(f *testing.F) {
	fuzzFile(f, "a.toml", "[parallelism]\ntensor_parallel_degree = 2\n", "[training]\nlocal_batch_size=1\n[model]\nname=\"llama3\"\nflavor=\"8B\"")
}
