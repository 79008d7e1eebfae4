package worker

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// TestMemory times every kernel once; bytes are what each reads and writes:
// Adam 16 and 12 of f32 and 2 of bf16 a parameter.
func TestMemory(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	o := MemoryOptions{Sizes: []int{4096}, Cols: 64, Type: reduce.BF16, Iters: 2, Timeout: time.Minute, Driver: path}
	var out bytes.Buffer
	if err := Memory(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"copy\tbf16\t8192\t", "sum\tbf16\t12288\t", "norm\tbf16\t8192\t", "norm_grad\tbf16\t12288\t", "adam\tbf16\t61440\t"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	o.Type = reduce.F64
	if err := Memory(context.Background(), o, &out); err == nil || !strings.Contains(err.Error(), "no kernel on GPUs: want f32, f16 or bf16") {
		t.Error(err)
	}
}
