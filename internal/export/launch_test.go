package export

import (
	"testing"

	"planner/costmodel"
)

// sbatch's %x in --output is the job's name: a slash would be a folder's, a %
// a pattern.
func TestJobName(t *testing.T) {
	for name, want := range map[string]string{
		"llama3.1-70b":              "llama3.1-70b",
		"./config.json":             "train",
		"config.json":               "train",
		"models/My-7B/config.json":  "My-7B",
		"/data/our model %j.toml":   "our-model-j",
		"../qwen3.json":             "qwen3",
		"../config.json":            "train",
		"checkpoints/llama-3.1-8b/": "llama-3.1-8b",
	} {
		if got := jobName(&costmodel.Model{Name: name}); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// torchtitan's run_train.sh sets the allocator, torchrun one thread a process,
// and accelerate's file is its own launcher's.
func TestLaunchersRunAsPriced(t *testing.T) {
	for _, x := range []struct {
		framework string
		cases     []priced
	}{
		{"torchtitan", []priced{
			{"the allocator of run_train.sh", "slurm", "8b", "", "zero=3", []string{"export PYTORCH_ALLOC_CONF=expandable_segments:True"}, []string{"OMP_NUM_THREADS"}, nil},
			{"no file to start", "slurm", "8b", "", "tp=2", nil, nil, []string{"cannot express: the file to start, --to torchtitan-toml: zero=0 with tp=2"}},
		}},
		{"deepspeed", []priced{
			{"and its threads", "slurm", "8b", "", "zero=3,offload=optimizer", []string{"export OMP_NUM_THREADS=$(($(nproc) / 8))"}, nil, nil},
		}},
		{"fsdp", []priced{
			{"its own launcher", "slurm", "8b", "", "zero=3", []string{"train.py'"}, []string{"torchrun --"}, []string{`bash -c 'accelerate launch --config_file accelerate.yaml --num_machines 8 --num_processes 64`, `--machine_rank "$SLURM_NODEID"`}},
			{"by hand", "torchrun", "8b", "", "zero=3", nil, []string{"torchrun --"}, []string{"NODE to its own number, 0 to 7"}},
		}},
	} {
		for _, c := range x.cases {
			c.check(t, x.framework, "")
		}
	}
}
