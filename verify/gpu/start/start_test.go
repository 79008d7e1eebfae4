package start

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pretend writes a planner-gpu that is a shell script.
func pretend(t *testing.T, script string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), program)
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

var calls = []Call{{Op: "all_reduce", DType: "bf16", Bytes: 4096, Size: 2, Stride: 4}}

func TestMeasure(t *testing.T) {
	p := pretend(t, `cat > "$0.in"; echo "$@" > "$0.args"; echo 'note: mixed GPUs' >&2
echo '{"backend":"nccl","ranks":8,"rows":[{"op":"all_reduce","bytes":4096,"out_of_place":{"time_us":12.5}}]}'`)
	var notes strings.Builder
	d, err := Measure(context.Background(), p, "nccl", 8, calls, &notes, "--timeout", "5m")
	if err != nil {
		t.Fatal(err)
	}
	if d.Ranks != 8 || len(d.Rows) != 1 || d.Rows[0].Out.Time != 12.5 || notes.String() != "note: mixed GPUs\n" {
		t.Errorf("%+v, notes %q", d, notes.String())
	}
	for file, want := range map[string]string{
		".in":   `[{"op":"all_reduce","dtype":"bf16","bytes":4096,"size":2,"stride":4}]`,
		".args": "bench --backend nccl --ranks 8 --format json --calls - --timeout 5m\n",
	} {
		if b, _ := os.ReadFile(p + file); string(b) != want {
			t.Errorf("%s: %q: want %q", file, b, want)
		}
	}
}

func TestFailures(t *testing.T) {
	for script, want := range map[string]string{
		"cat >/dev/null; echo 'planner-gpu: libcuda.so.1: cannot be loaded' >&2; exit 1": "libcuda.so.1: cannot be loaded",
		"cat >/dev/null; exit 3":     "exit status 3",
		"cat >/dev/null; echo hello": "no document",
		"cat >/dev/null; echo '{}'":  "0 rows for 1 calls",
	} {
		if _, err := Measure(context.Background(), pretend(t, script), "cuda", 0, calls, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	wrong := pretend(t, `cat >/dev/null; echo '{"rows":[{"op":"all_reduce"}],"wrong":3}'; echo 'planner-gpu: wrong results: 3 elements' >&2; exit 1`)
	if d, err := Measure(context.Background(), wrong, "cuda", 0, calls, io.Discard); err == nil || d == nil || d.Wrong != 3 {
		t.Errorf("%+v, %v: want the document beside the error", d, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Measure(ctx, wrong, "cuda", 0, calls, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v: want the end of the context", err)
	}
}

func TestFind(t *testing.T) {
	p := pretend(t, "")
	t.Setenv("PLANNER_GPU", "")
	t.Setenv("PATH", filepath.Dir(p))
	if got, err := Find(); err != nil || got != p {
		t.Errorf("%s, %v: want %s", got, err, p)
	}
	t.Setenv("PATH", "")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "want it beside planner or in PATH") {
		t.Error(err)
	}
	t.Setenv("PLANNER_GPU", "/x")
	if got, _ := Find(); got != "/x" {
		t.Errorf("%s: want what the variable says", got)
	}
}
