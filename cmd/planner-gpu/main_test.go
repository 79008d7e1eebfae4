package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"planner/verify/gpu/fakes"
)

// run runs the command line and returns what it wrote.
func run(args ...string) (out, notes string, err error) {
	var o, n bytes.Buffer
	c := newRoot()
	c.SetArgs(args)
	c.SetOut(&o)
	c.SetErr(&n)
	err = c.ExecuteContext(context.Background())
	return o.String(), n.String(), err
}

func TestBench(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	out, _, err := run("bench", "--libcuda", path, "--ranks", "4", "-b", "1K", "-e", "4K", "--dtype", "bf16", "all_reduce", "all_gather")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "# all_gather") || !strings.Contains(out, "# Out of bounds values : 0") || strings.Count(out, "bfloat16") != 4 {
		t.Errorf("%s", out)
	}
}

func TestDevices(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2, NoPeers: true})
	out, notes, err := run("devices", "--libcuda", path, "--libnccl", path, "--libnvml", fakes.Build(t, "fakes/c/nvml.c"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"driver of CUDA 12.4", "GPU 1  0000:19:00.0  Fake GPU 1  sm_90  132 units  80 GiB", "NCCL 2.23.4",
		"GPU 0 cannot read GPUs 1", "1200 of 1980 MHz"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(notes, "GPU 1: throttled at 1200 of 1980 MHz, 91 C") {
		t.Errorf("notes %s", notes)
	}
}

func TestErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"want the NVIDIA driver":                           {"bench", "--libcuda", "libcuda.so.none"},
		"libcuda.so.none: cannot be loaded":                {"devices", "--libcuda", "libcuda.so.none"},
		`operation "all_raduce": unknown: want one of all`: {"bench", "all_raduce"},
		`--dtype "f8": unknown`:                            {"bench", "--dtype", "f8"},
		`--print "pbs": unknown: want slurm`:               {"script", "pbs"},
	} {
		_, _, err := run(args...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: want one line with %q", err, want)
		}
		var u errUsage
		if usage := errors.As(err, &u); usage == strings.Contains(want, "libcuda") && usage {
			t.Errorf("%v: not an error of the input", err)
		}
	}
}

func TestCalls(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	var o bytes.Buffer
	c := newRoot()
	c.SetArgs([]string{"bench", "--calls", "-", "--libcuda", path})
	c.SetIn(strings.NewReader(`[{"op":"all_gather","dtype":"f16","bytes":4096,"size":2}]`))
	c.SetOut(&o)
	if err := c.ExecuteContext(t.Context()); err != nil || !strings.Contains(o.String(), "half") {
		t.Errorf("%v: %s", err, o.String())
	}
	for want, args := range map[string][]string{
		"want one or the other": {"bench", "--calls", "-", "all_reduce"}, "cannot be read": {"bench", "--calls", "/none"},
	} {
		if _, _, err := run(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

func TestBandwidth(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	out, _, err := run("bandwidth", "--libcuda", path, "--size", "1M", "--iters", "10")
	if err != nil || out != "from\\to\t0\t1\n0\t21.0\t21.0\n1\t21.0\t21.0\n" {
		t.Errorf("%v: %q", err, out)
	}
	if _, _, err := run("bandwidth", "--size", "fast"); err == nil || !strings.Contains(err.Error(), "--size size") {
		t.Errorf("%v", err)
	}
}

func TestGemm(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	var o bytes.Buffer
	c := newRoot()
	c.SetArgs([]string{"gemm", "16x8x32", "--libcuda", path, "--libcublaslt", path, "--iters", "2"})
	c.SetOut(&o)
	if err := c.ExecuteContext(t.Context()); err != nil || !strings.Contains(o.String(), "bf16\t16\t8\t32") {
		t.Errorf("%v: %s", err, o.String())
	}
	if _, _, err := run("gemm", "8x8"); err == nil || !strings.Contains(err.Error(), `shape "8x8": not a shape`) {
		t.Errorf("%v", err)
	}
}

func TestScript(t *testing.T) {
	out, _, err := run("script", "slurm", "--nodes", "2")
	if err != nil || !strings.Contains(out, "--ntasks=16") || !strings.Contains(out, "planner-gpu bench --backend nccl") {
		t.Errorf("%v\n%s", err, out)
	}
}
