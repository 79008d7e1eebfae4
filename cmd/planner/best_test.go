package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A search that is interrupted writes nothing: half of one looks like a whole.
func TestInterruptedWritesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, line := range []string{
		"plan save --model 8b --gpus 64", "export --to megatron --model 8b --gpus 64", "export --to slurm --model 8b --gpus 64",
		"verify --print slurm --model 8b --nodes 2", "report --model 8b --gpus 64",
	} {
		file := filepath.Join(t.TempDir(), "out")
		args := strings.Fields(line)
		if args[0] != "verify" {
			args = append(args, "-o", file)
		}
		var out, errOut bytes.Buffer
		root := newRoot(&out)
		root.SetErr(&errOut)
		root.SetArgs(args)
		err := root.ExecuteContext(ctx)
		if !errors.Is(err, errInterrupted) || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes, want %v and none", line, err, out.Len(), errInterrupted)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: wrote a file", line)
		}
	}
}
