package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"planner/costmodel/collective"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func small(path string, backend Backend) Options {
	o := Default()
	o.Backend, o.Driver, o.Library, o.Format = backend, path, path, "json"
	o.Begin, o.End, o.Iters, o.Warmup = 1<<10, 4<<10, 2, 1
	o.Ops = nil
	for op := range collective.Send {
		o.Ops = append(o.Ops, op)
	}
	return o
}

func TestCUDA(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 4})
	for _, tt := range []struct {
		ranks  int
		graphs bool
		red    reduce.Op
	}{{0, false, reduce.Sum}, {8, false, reduce.Avg}, {3, true, reduce.Max}, {1, true, reduce.Sum}} {
		o := small(path, CUDA)
		o.Ranks, o.Graphs, o.Reduction = tt.ranks, tt.graphs, tt.red
		var out bytes.Buffer
		if err := Run(context.Background(), o, &out, io.Discard); err != nil {
			t.Fatalf("%+v: %v", tt, err)
		}
		var d Document
		if err := json.Unmarshal(out.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		want := tt.ranks
		if want == 0 {
			want = 4
		}
		if d.Ranks != want || len(d.GPUs) != want || len(d.Rows) != 2*len(o.Ops) || d.Wrong != 0 {
			t.Errorf("%+v: %d ranks, %d rows, %d wrong", tt, d.Ranks, len(d.Rows), d.Wrong)
		}
	}
}

// TestNCCL runs the ranks as goroutines that meet over the engine.
func TestNCCL(t *testing.T) {
	path, reset := fakes.Driver(t)
	const n = 3
	reset(fakes.CUDA{Devices: n})
	docs, errs := ranks(t, n, small(path, NCCL))
	for r := range n {
		if errs[r] != nil {
			t.Fatalf("rank %d: %v", r, errs[r])
		}
	}
	if len(docs[0].Rows) != 2*int(collective.Send) || docs[0].Wrong != 0 || len(docs[0].GPUs) != n || docs[0].Library != "NCCL 2.23.4" {
		t.Errorf("%+v", docs[0])
	}
}

// TestRCCL does the same on HIP's memory and streams.
func TestRCCL(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	docs, errs := ranks(t, 2, small(path, RCCL))
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	if len(docs[0].Rows) != 2*int(collective.Send) || docs[0].Wrong != 0 || docs[0].Library != "RCCL 2.23.4" ||
		!strings.HasSuffix(docs[0].GPUs[1], "device 0000:19:00.0 Fake GPU 1") {
		t.Errorf("%+v", docs[0])
	}
}

func ranks(t *testing.T, n int, o Options) ([]*Document, []error) {
	l, err := transport.NewLocal(n, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, errs := make([]*Document, n), make([]error, n)
	var wg sync.WaitGroup
	for r := range n {
		wg.Go(func() { docs[r], errs[r] = onNCCL(context.Background(), l.World(r), r, &o) })
	}
	wg.Wait()
	return docs, errs
}

// TestTwoRanksOnOneGPU: said before NCCL is asked.
func TestTwoRanksOnOneGPU(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	_, errs := ranks(t, 2, small(path, NCCL))
	for _, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "ranks 0 and 1 are both on GPU 0000:18:00.0") {
			t.Errorf("%v: want which ranks share which GPU", err)
		}
	}
}

// TestThrottled: GPU 1 of the fake NVML is shared and throttled.
func TestThrottled(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	o := small(path, CUDA)
	o.Ops, o.NVML = o.Ops[:1], fakes.Build(t, "fakes/c/nvml.c")
	var out, notes bytes.Buffer
	if err := Run(context.Background(), o, &out, &notes); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"note: GPU 1: throttled at 1200 of 1980 MHz", "note: GPU 1: shared: 2 other processes"} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("no %q in %s", want, notes.String())
		}
	}
	o.NVML = "libnvidia-ml.so.none"
	notes.Reset()
	if err := Run(context.Background(), o, &out, &notes); err != nil || !strings.Contains(notes.String(), "note: clocks and throttling were not read") {
		t.Errorf("%v: %s", err, notes.String())
	}
}

func TestMixedGPUs(t *testing.T) {
	notes, err := Check([]Seat{{"a", "0", "H100"}, {"a", "1", "H100"}, {"b", "0", "A100"}}, false, "2.20.5")
	if err != nil || len(notes) != 1 || notes[0] != "mixed GPUs: rank 2 has A100, rank 0 has H100: the slowest decides" {
		t.Errorf("%q, %v", notes, err)
	}
	if _, err := Check([]Seat{{"a", "0", "H100"}, {"a", "0", "H100"}}, true, "2.30.0"); err != nil {
		t.Errorf("sharing allowed: %v", err)
	}
}

// TestBusBandwidth holds the columns against nccl-tests' definitions
// (doc/PERFORMANCE.md): 8 ranks, 1 GB in 10 ms is 100 GB/s, 175 GB/s of bus.
func TestBusBandwidth(t *testing.T) {
	o := Default()
	r := o.newRow(collective.AllReduce, 250_000_000, 8, 0, 0.01, "ring")
	if fmt.Sprintf("%.1f %.1f", r.Out.AlgBW, r.Out.BusBW) != "100.0 175.0" || r.Redop != "sum" || r.Type != "float" || r.Root != -1 {
		t.Errorf("%+v", r)
	}
}

func TestTable(t *testing.T) {
	o := Default()
	d := Document{Backend: "cuda", Ranks: 1, GPUs: []string{"a device 0"}, Library: "driver of CUDA 12.4"}
	d.Rows = append(d.Rows, o.newRow(collective.Broadcast, 1024, 1, 0, 1e-5, "binomial"))
	var b bytes.Buffer
	if err := show(&d, &b, "table"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Out of bounds values : 0", "10.00", "#wrong", "binomial", "Rank  0 on a device 0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for want, f := range map[string]func(*Options){
		`--backend "gloo": unknown: want cuda nccl rccl hip`:     func(o *Options) { o.Backend = "gloo" },
		"--dtype f64: no kernel on GPUs: want f32, f16 or bf16":  func(o *Options) { o.Type = reduce.F64 },
		"-b 8 -e 4: out of range":                                func(o *Options) { o.Begin, o.End = 8, 4 },
		"-f 1: too small: want at least 2":                       func(o *Options) { o.Factor = 1 },
		"--ranks -1: out of range: want 0 to 1024":               func(o *Options) { o.Ranks = -1 },
		"--iters 0 --warmup 5: too small: want at least 1 and 0": func(o *Options) { o.Iters = 0 },
		`--format "xml": unknown: want table or json`:            func(o *Options) { o.Format = "xml" },
	} {
		o := Default()
		f(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}
