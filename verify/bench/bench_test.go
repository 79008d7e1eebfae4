package bench_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/launch"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func TestMain(m *testing.M) {
	launch.MaybeWorker()
	maybeBench()
	goleak.VerifyTestMain(m)
}

func options() bench.Options {
	return bench.Options{Ops: []collective.Op{collective.AllReduce, collective.AllToAll}, Begin: 1 << 10, End: 64 << 10, Factor: 64,
		Ranks: 2, Kind: transport.Shm, Iters: 3, Warmup: 1, Format: "table"}
}

// TestTableHasNCCLColumns reads the table as parsers of nccl-tests' output do:
// lines that do not begin with # have 13 fields first.
func TestTableHasNCCLColumns(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Shm, transport.Goroutine, transport.TCP} {
		o := options()
		o.Kind = kind
		var out, errs bytes.Buffer
		if err := bench.Run(t.Context(), o, &out, &errs); err != nil {
			t.Fatalf("%v: %v\n%s", kind, err, &errs)
		}
		rows := 0
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			f := strings.Fields(line)
			if len(f) < 17 || f[2] != "float" || f[8] != "0" {
				t.Errorf("%v: row %q", kind, line)
			}
			rows++
		}
		if rows != 4 || !strings.Contains(out.String(), "# Out of bounds values : 0 OK") {
			t.Errorf("%v: %d rows:\n%s", kind, rows, &out)
		}
	}
}

func TestFormats(t *testing.T) {
	o := options()
	o.Kind = transport.Goroutine
	var out bytes.Buffer
	o.Format = "csv"
	if err := bench.Run(t.Context(), o, &out, nil); err != nil {
		t.Fatal(err)
	}
	if recs, err := csv.NewReader(&out).ReadAll(); err != nil || len(recs) != 5 {
		t.Errorf("csv: %d records, %v", len(recs), err)
	}
	out.Reset()
	o.Format = "json"
	if err := bench.Run(t.Context(), o, &out, nil); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Rows []bench.Row }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || len(doc.Rows) != 4 || doc.Rows[3].In != nil {
		t.Errorf("json: %v, %+v", err, doc)
	}
}

func TestComparisons(t *testing.T) {
	for _, c := range []bench.Comparison{bench.SplitInTwo, bench.RingAndNaive} {
		o := options()
		o.Compare, o.Ranks, o.Kind = c, 3, transport.Goroutine
		var out bytes.Buffer
		if err := bench.Run(t.Context(), o, &out, nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != 4 {
			t.Errorf("%v: %d lines:\n%s", c, n, &out)
		}
	}
}

func TestEmulatedPrediction(t *testing.T) {
	o := options()
	o.Ops, o.Begin, o.End, o.Kind = o.Ops[:1], 1<<20, 1<<20, transport.Goroutine
	o.Algorithm, o.Format = engine.Force(steps.Ring), "json"
	o.Shape, _ = transport.ParseShape("2x1:ib=100MB/s,delay=1ms")
	var out bytes.Buffer
	if err := bench.Run(t.Context(), o, &out, nil); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Rows []bench.Row }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	// 2(N-1)/N·M = 1 MiB at 100 MB/s, and at least the delays of two steps.
	least := (1<<20)/100e6*1e6 + 2000
	if r := doc.Rows[0]; r.Out.Time < least || r.Predicted < least*0.98 {
		t.Errorf("took %v us, predicted %v us, want at least %v", r.Out.Time, r.Predicted, least)
	}
}

func TestTooFastEmulation(t *testing.T) {
	o := options()
	o.Shape, _ = transport.ParseShape("2x1:ib=9000GB/s")
	var out, errs bytes.Buffer
	err := bench.Run(t.Context(), o, &out, &errs)
	if err == nil || !strings.Contains(err.Error(), "this machine moves") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v (%s)", err, &errs)
	}
}

// TestEndlessEmulation: 1 MiB at 1 kB/s takes 17 minutes.
func TestEndlessEmulation(t *testing.T) {
	o := options()
	o.Ops, o.Begin, o.End = o.Ops[:1], 1<<10, 1<<20
	o.Shape, _ = transport.ParseShape("2x1:ib=1kB/s")
	var out, errs bytes.Buffer
	err := bench.Run(t.Context(), o, &out, &errs)
	if err == nil || !strings.Contains(err.Error(), "want a --timeout above") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v (%s)", err, &errs)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, kind := range []transport.Kind{transport.Goroutine, transport.Shm} {
		o := options()
		o.Kind = kind
		if err := bench.Run(ctx, o, new(bytes.Buffer), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%v: got %v", kind, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(o *bench.Options){
		"--ranks 0: out of range":         func(o *bench.Options) { o.Ranks = 0 },
		"-f 1: too small":                 func(o *bench.Options) { o.Factor = 1 },
		"-e 8: out of range":              func(o *bench.Options) { o.End = 8 },
		"--root 5: out of range":          func(o *bench.Options) { o.Root = 5 },
		"--format \"x\": unknown":         func(o *bench.Options) { o.Format = "x" },
		"--algo bruck: does not serve":    func(o *bench.Options) { o.Algorithm = engine.Force(steps.Bruck) },
		"--emulate: shape 2x2: has 4":     func(o *bench.Options) { o.Shape = &transport.Shape{Nodes: 2, PerNode: 2} },
		"--transport goroutine: one proc": func(o *bench.Options) { o.Kind, o.Hosts, o.Address = transport.Goroutine, []string{"a"}, "a:1" },
		"--hosts a,b: no --address":       func(o *bench.Options) { o.Hosts = []string{"a", "b"} },
		"--timeout -1s: negative":         func(o *bench.Options) { o.Timeout = -time.Second },
		"--cores 0,4096: no core 4096":    func(o *bench.Options) { o.Cores = []int{0, 4096} },
		"--cores -1: negative":            func(o *bench.Options) { o.Cores = []int{-1} },
	} {
		o := options()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int{"8": 8, "1K": 1024, "128M": 128 << 20, "2g": 2 << 30, "4KiB": 4096, "16B": 16} {
		if got, err := bench.ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "K", "-1", "1.5M", "1T", "99999999G"} {
		if _, err := bench.ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q): no error", in)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("128M")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := bench.ParseSize(s); err == nil && n < 0 {
			t.Errorf("%q: %d", s, n)
		}
	})
}

// TestWrongElementsAreCounted spoils results in known places.
func TestWrongElementsAreCounted(t *testing.T) {
	s := steps.Spec{Op: collective.AllReduce, Ranks: 3, Count: 5000}
	for ty := range reduce.NumDTypes {
		d := bench.NewData(s, ty, reduce.Sum)
		in, out := make([]byte, s.Count*ty.Size()), make([]byte, s.Count*ty.Size())
		d.Fill(out, 0)
		for r := 1; r < 3; r++ {
			d.Fill(in, r)
			reduce.Kernel(ty, reduce.Sum)(out, out, in)
		}
		if n := d.Wrong(out, 0); n != 0 {
			t.Errorf("%v: %d wrong of a right result", ty, n)
		}
		for _, i := range []int{0, 1021, 4999} {
			out[(i+1)*ty.Size()-1] ^= 0x41
		}
		if n := d.Wrong(out, 0); n != 3 {
			t.Errorf("%v: %d wrong, want 3", ty, n)
		}
	}
}
