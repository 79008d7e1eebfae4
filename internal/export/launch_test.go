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
