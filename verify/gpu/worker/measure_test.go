package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/fakes"
	"planner/verify/gpu/start"
)

// TestMeasureMachine measures GPUs of both vendors.
func TestMeasureMachine(t *testing.T) {
	for _, amd := range []bool{false, true} {
		path, reset := fakes.Driver(t)
		reset(fakes.CUDA{Devices: 2})
		o := MachineOptions{AMD: amd, Driver: path, BLAS: path, Iters: 2, Timeout: time.Minute, Shapes: []blas.Shape{{M: 8, N: 16, K: 8}},
			Sizes: []int{1 << 16}, Copy: 4096}
		var out bytes.Buffer
		err := MeasureMachine(context.Background(), o, &out)
		if amd { // the fake's architecture is not told, and there are no kernels without
			if err == nil {
				t.Error("memory was measured without kernels")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var m start.Machine
		if err := json.Unmarshal(out.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if m.GPUs != 2 || len(m.Gemms) != 1 || m.Gemms[0].Seconds <= 0 || len(m.Traffic) != 5 || len(m.Peers) != 2 || m.Peers[0][1] <= 0 ||
			m.Library != "driver of CUDA 12.4, cuBLASLt 12.5.0" {
			t.Errorf("%+v", m)
		}
	}
}
