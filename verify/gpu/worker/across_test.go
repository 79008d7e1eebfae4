package worker

import (
	"context"
	"strings"
	"sync"
	"testing"

	"planner/costmodel/collective"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// TestProcesses measures with the engine's kernels, ranks that know each other
// by handles and shared words alone.
func TestProcesses(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 3, Seed: 4})
	o := small(path, CUDA)
	o.Processes, o.Type = true, reduce.BF16
	docs, errs := processes(t, 3, &o)
	for r, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", r, err)
		}
	}
	if d := docs[0]; len(d.Rows) != 2*int(collective.Send) || d.Wrong != 0 || len(d.GPUs) != 3 || d.Rows[0].Algorithm != "one-shot" ||
		d.Library != "driver of CUDA 12.4, between processes" {
		t.Errorf("%+v", d)
	}
	o.Graphs = true
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--processes: of the backends cuda and hip alone, without --graphs") {
		t.Error(err)
	}
}

func processes(t *testing.T, n int, o *Options) ([]*Document, []error) {
	l, err := transport.NewLocal(n, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, errs := make([]*Document, n), make([]error, n)
	var wg sync.WaitGroup
	for r := range n {
		wg.Go(func() { docs[r], errs[r] = onProcesses(context.Background(), l.World(r), r, o) })
	}
	wg.Wait()
	return docs, errs
}

func TestOneMachine(t *testing.T) {
	if err := oneMachine([]Seat{{Host: "a"}, {Host: "b"}}); err == nil || !strings.Contains(err.Error(), "ranks 0 and 1 are on a and b") {
		t.Error(err)
	}
}
