package start

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Machine is what planner-gpu measure found of one machine's GPUs.
type Machine struct {
	GPU     string      `json:"gpu"` // name of the first
	GPUs    int         `json:"gpus"`
	Memory  float64     `json:"memory_bytes"`
	Library string      `json:"library"`
	Gemms   []Gemm      `json:"gemms"`
	Traffic []Traffic   `json:"traffic"`
	Peers   [][]float64 `json:"peers"` // bytes per second, from row to column; on the diagonal of a copy inside
	Notes   []string    `json:"notes"`
}

// Gemm is a product of M outputs, N tokens and K inputs in bf16.
type Gemm struct {
	M, N, K int
	Seconds float64
}

// Traffic is a memory-bound kernel as it was measured.
type Traffic struct {
	Kernel  string  `json:"kernel"` // copy, sum, norm, norm_grad or adam
	DType   string  `json:"dtype"`
	Bytes   int     `json:"bytes"` // read and written
	Seconds float64 `json:"seconds"`
}

// Rate returns bytes per second.
func (t Traffic) Rate() float64 { return float64(t.Bytes) / t.Seconds }

// MeasureMachine measures this machine's GPUs with planner-gpu. What it says
// on standard error goes to notes.
func MeasureMachine(ctx context.Context, path string, amd bool, notes io.Writer) (*Machine, error) {
	args := []string{"measure"}
	if amd {
		args = append(args, "--amd")
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, io.MultiWriter(&said, notes)
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, reason(err, said.String())
	}
	m := &Machine{}
	if err := json.Unmarshal(out.Bytes(), m); err != nil {
		return nil, fmt.Errorf("%s: no measurement: %w", path, err)
	}
	return m, nil
}
