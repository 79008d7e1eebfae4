// Package start runs planner-gpu from a program that must not open the
// vendors' libraries itself, and reads what it measured.
package start

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"planner/verify/bench"
)

// Call is a call of a plan to measure, by the groups that make it: Size ranks
// each, Stride apart, as many groups as the job has ranks for. With nccl all
// groups make it at once, as they do in a step; with cuda the first does.
type Call struct {
	Op     string `json:"op"`    // all_reduce
	DType  string `json:"dtype"` // f32, f16, bf16
	Bytes  int    `json:"bytes"` // M
	Size   int    `json:"size"`
	Stride int    `json:"stride"` // 0 is 1: ranks side by side
}

// Document is what planner-gpu bench --format json prints.
type Document struct {
	Backend string      `json:"backend"`
	Ranks   int         `json:"ranks"`
	GPUs    []string    `json:"gpus"` // by rank
	Library string      `json:"library"`
	Rows    []bench.Row `json:"rows"` // one for each call, in order
	Wrong   int         `json:"wrong"`
	Notes   []string    `json:"notes"`
}

// program is the command's name.
const program = "planner-gpu"

// Find returns the path of planner-gpu: PLANNER_GPU, else beside this
// program, else in PATH.
func Find() (string, error) {
	if p := os.Getenv("PLANNER_GPU"); p != "" {
		return p, nil
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), program)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	p, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s: not found: want it beside planner or in PATH (go build ./cmd/planner-gpu)", program)
	}
	return p, nil
}

// Measure runs calls on a back end (cuda, nccl or rccl) with ranks on this
// machine, 0 for one on every GPU. More arguments are those of planner-gpu
// bench. What it says on standard error goes to notes. Wrong results are an
// error beside the document; the end of ctx ends it.
func Measure(ctx context.Context, path, backend string, ranks int, calls []Call, notes io.Writer, args ...string) (*Document, error) {
	in, err := json.Marshal(calls)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, path, append([]string{"bench", "--backend", backend, "--ranks", fmt.Sprint(ranks),
		"--format", "json", "--calls", "-"}, args...)...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var out, said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, io.MultiWriter(&said, notes)
	ran := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if ran != nil {
		ran = reason(ran, said.String())
	}
	var d Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		return nil, errors.Join(ran, fmt.Errorf("%s: no document: %w", path, err))
	}
	if ran == nil && len(d.Rows) != len(calls) {
		return nil, fmt.Errorf("%s: %d rows for %d calls", path, len(d.Rows), len(calls))
	}
	return &d, ran
}

// reason prefers the last line that the program said over its exit status.
func reason(err error, said string) error {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], program+": ")
	if last == "" {
		return fmt.Errorf("%s: %w", program, err)
	}
	return errors.New(last)
}
