package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"planner/verify/gpu/fakes"
	"planner/verify/gpu/start"
)

// runHere runs planner in this process and returns its outputs and exit status.
func runHere(t *testing.T, args ...string) (out, said string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	c := newRoot(io.Discard)
	c.SetArgs(args)
	c.SetOut(&o)
	c.SetErr(&e)
	status = report(c.ExecuteContext(context.Background()), &e)
	return o.String(), e.String(), status
}

// pretend makes a shell script the planner-gpu.
func pretend(t *testing.T, script string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "planner-gpu")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLANNER_GPU", p)
	return p
}

const noGPU = `echo '[{"backend":"nccl","what":"libcuda.so.1: cannot be loaded"},{"backend":"cuda","what":"libcuda.so.1: cannot be loaded"}]'`

// TestBackendsWithoutGPU: one clear line, and the right status.
func TestBackendsWithoutGPU(t *testing.T) {
	pretend(t, noGPU)
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"verify", "--backend", "nccl"}, 1, "planner: --backend nccl: libcuda.so.1: cannot be loaded\n"},
		{[]string{"bench", "--backend", "cuda"}, 1, "planner: --backend cuda: libcuda.so.1: cannot be loaded\n"},
		{[]string{"verify", "--backend", "rccl"}, 1, "planner: --backend rccl: rccl: planner-gpu does not know it\n"},
		{[]string{"verify", "--backend", "ncll"}, 2, `planner: --backend "ncll": no such back end: did you mean "nccl"?` + "\n"},
		{[]string{"bench", "--backend", "gloo"}, 2, `planner: --backend "gloo": no such back end: want host, auto, cuda, nccl, rccl, hip` + "\n"},
		{[]string{"verify", "--backend", "nccl", "--emulate", "2x2:"}, 2, "planner: --emulate: not on GPUs: their links are what they are\n"},
		{[]string{"verify", "--print", "lsf"}, 2, "planner: --print \"lsf\": unknown: want slurm, torchrun, mpirun or k8s\n"},
		{[]string{"verify", "--print", "slurm", "--nodes", "0"}, 2, "planner: --nodes 0: out of range: want 1 to 100,000\n"},
		{[]string{"verify", "--print", "slurm", "--backend", "cuda"}, 2, "planner: --backend cuda: not in a job on h100-sxm-80gb: want nccl, whose ranks may be on many nodes\n"},
	} {
		if _, said, status := runHere(t, tt.args...); status != tt.status || said != tt.says {
			t.Errorf("%v: status %d, %q: want %d, %q", tt.args, status, said, tt.status, tt.says)
		}
	}
	t.Setenv("PLANNER_GPU", "")
	t.Setenv("PATH", "")
	if _, said, status := runHere(t, "bench", "--backend", "nccl"); status != 1 || !strings.Contains(said, "planner-gpu: not found: want it beside planner or in PATH") {
		t.Errorf("%d, %q", status, said)
	}
}

// TestAutoFallsBackToTheHost and says why.
func TestAutoFallsBackToTheHost(t *testing.T) {
	pretend(t, noGPU)
	out, said, status := runHere(t, "bench", "--backend", "auto", "-b", "1K", "-e", "1K", "--transport", "goroutine", "--iters", "2")
	if status != 0 || !strings.Contains(said, "host: no GPUs to use: libcuda.so.1: cannot be loaded") || !strings.Contains(out, "all_reduce") {
		t.Errorf("%d, %q, %q", status, out, said)
	}
}

// TestBenchForwards what both commands have, and refuses the rest.
func TestBenchForwards(t *testing.T) {
	p := pretend(t, `if [ "$1" = backends ]; then echo '[{"backend":"nccl","ready":true,"gpus":8,"name":"NVIDIA H100 80GB HBM3","what":"NCCL 2.23.4"}]'; else echo "$@"; fi`)
	out, said, status := runHere(t, "bench", "--backend", "auto", "-b", "8K", "--dtype", "bf16", "--timeout", "1m", "all_gather")
	if out != "bench --backend nccl --dtype bf16 --minbytes 8K --timeout 1m0s all_gather\n" || status != 0 ||
		!strings.Contains(said, "nccl: 8 × NVIDIA H100 80GB HBM3, NCCL 2.23.4") {
		t.Errorf("%s: %d, %q, %q", p, status, out, said)
	}
	if _, said, status := runHere(t, "bench", "--backend", "nccl", "--algo", "ring"); status != 2 || !strings.Contains(said, "--algo: not with --backend nccl") {
		t.Errorf("%d, %q", status, said)
	}
	pretend(t, `if [ "$1" = backends ]; then echo '[{"backend":"nccl","ready":true}]'; else echo "planner-gpu: wrong results" >&2; exit 1; fi`)
	if _, said, status := runHere(t, "bench", "--backend", "nccl"); status != 1 || !strings.HasSuffix(said, "planner-gpu: wrong results\n") {
		t.Errorf("%d, %q", status, said)
	}
}

func TestPresetOfADriversName(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "h100-sxm-80gb", "NVIDIA H100 PCIe": "h100-pcie-80gb", "NVIDIA H100 NVL": "h100-nvl", "NVIDIA H200": "h200-sxm",
		"NVIDIA A100-SXM4-80GB": "a100-sxm-80gb", "NVIDIA A100-SXM4-40GB": "a100-sxm-40gb", "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
		"NVIDIA GH200 480GB": "gh200", "NVIDIA B200": "b200-sxm", "NVIDIA GB200": "gb200", "NVIDIA H20": "h20", "Tesla V100-SXM2-16GB": "v100-sxm-16gb",
		"NVIDIA GeForce RTX 4090": "rtx-4090", "AMD Instinct MI300X": "mi300x", "NVIDIA L40S": "l40s", "Quadro P400": "",
	} {
		if got := presetOf(name); got != want {
			t.Errorf("%s: %q: want %q", name, got, want)
		}
	}
}

const tinyModel = `title = "tiny"
family = "planner"
style = "llama"
layers = 4
hidden = 64
heads = 4
kv_heads = 2
ffn = 128
vocab = 128
seq_len = 64
source = "made for a test"
as_of = "2026-11-29"
`

// jobOf takes the layouts out of a printed script.
func jobOf(t *testing.T, script string) []byte {
	t.Helper()
	m := regexp.MustCompile(`(?s)<<'END_OF_WORK'\n(.*)\nEND_OF_WORK\n`).FindStringSubmatch(script)
	if m == nil {
		m = regexp.MustCompile(`(?s)planner-work.gz: (\S+)`).FindStringSubmatch(script)
	}
	if m == nil {
		t.Fatalf("no layouts in\n%s", script)
	}
	b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(m[1], "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPrintedJobs: the plan's own layouts are in every script.
func TestPrintedJobs(t *testing.T) {
	model := filepath.Join(t.TempDir(), "tiny.toml")
	if err := os.WriteFile(model, []byte(tinyModel), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"slurm", "torchrun", "mpirun", "k8s"} {
		out, said, status := runHere(t, "verify", "--print", kind, "--nodes", "2", "--image", "x/y:1", "--model", model, "--top", "3", "--global-batch", "32")
		if status != 0 || !strings.Contains(out, "planner-gpu replay --backend nccl --timeout 5m --work planner-work.gz") {
			t.Fatalf("%s: %d %s\n%.2000s", kind, status, said, out)
		}
		z, err := gzip.NewReader(bytes.NewReader(jobOf(t, out)))
		if err != nil {
			t.Fatal(err)
		}
		var j start.Job
		text, err := io.ReadAll(z)
		if err == nil {
			err = json.Unmarshal(text, &j)
		}
		var q gpuQuestion
		if err == nil {
			err = json.Unmarshal(j.Question, &q)
		}
		if err != nil || len(j.Work.Programs) != 3 || len(q.Layouts) != 3 || q.Ranks != 16 || j.Work.Probe != nil {
			t.Fatalf("%s: %v %+v", kind, err, q)
		}
		for _, p := range j.Work.Programs {
			if n := p.Inner * len(p.Stages); n != 16 || len(p.Mixes) != len(p.Stages) || len(p.Mixes[0].Parts) == 0 {
				t.Errorf("%s: a program of %d ranks with %d mixes", kind, n, len(p.Mixes))
			}
		}
	}
}

// TestVerifyOnGPUs runs planner-gpu on the fake driver: here, and as a job
// whose output is judged.
func TestVerifyOnGPUs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds planner-gpu")
	}
	fake, _ := fakes.Driver(t)
	dir := t.TempDir()
	gpu := filepath.Join(dir, "planner-gpu")
	build := exec.Command("go", "build", "-o", gpu, "../planner-gpu")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := build.CombinedOutput(); err != nil {
		t.Skipf("go build: %v\n%s", err, b)
	}
	for _, l := range []string{"libcuda.so.1", "libnccl.so.2", "libcublasLt.so.13"} {
		if err := os.Symlink(fake, filepath.Join(dir, l)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PLANNER_GPU", gpu)
	t.Setenv("LD_LIBRARY_PATH", dir)
	model := filepath.Join(dir, "tiny.toml")
	if err := os.WriteFile(model, []byte(tinyModel), 0o600); err != nil {
		t.Fatal(err)
	}
	common := []string{"--model", model, "--global-batch", "4", "--rounds", "3", "--layout", "tp=2,dp=1", "--layout", "dp=2,zero=1", "--format", "json"}
	out, said, status := runHere(t, append([]string{"verify", "--backend", "cuda", "--hardware", "h100-sxm-80gb"}, common...)...)
	checkVerified(t, out, said, status)
	if !strings.Contains(said, "cuda: 2 × Fake GPU 0, driver of CUDA 12.4") {
		t.Errorf("%s", said)
	}
	if _, said, status := runHere(t, "verify", "--backend", "cuda"); status != 2 || !strings.Contains(said, `--hardware: missing: no preset is known for "Fake GPU 0"`) {
		t.Errorf("%d, %s", status, said)
	}

	cluster := filepath.Join(dir, "two.toml")
	if err := os.WriteFile(cluster, []byte("gpus_per_node = 2\n[gpu]\npreset = \"h100-sxm-80gb\"\n[[tier]]\nkind = \"nvlink\"\nbandwidth = \"450GB/s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	script, said, status := runHere(t, append([]string{"verify", "--print", "torchrun", "--hardware", cluster}, common[:len(common)-2]...)...)
	if status != 0 {
		t.Fatal(said)
	}
	job := exec.Command(gpu, "replay", "--backend", "cuda", "--ranks", "2", "--work", "-")
	job.Stdin = bytes.NewReader(jobOf(t, script))
	output, err := job.Output()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "job.out")
	if err := os.WriteFile(log, append([]byte("srun: a line\n"), output...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said, status = runHere(t, "verify", "--from", log, "--format", "json")
	checkVerified(t, out, said, status)
}

func checkVerified(t *testing.T, out, said string, status int) {
	t.Helper()
	var r struct {
		Layouts []struct {
			Measured float64 `json:"measured_seconds"`
			Times    []float64
		}
		Shares struct{ Measured, Scaled, Assumed float64 }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || status > 1 {
		t.Fatalf("%d: %v: %s\n%s", status, err, said, out)
	}
	if len(r.Layouts) != 2 || r.Layouts[0].Measured <= 0 || len(r.Layouts[1].Times) != 3 || r.Shares.Assumed != 0 || r.Shares.Measured <= 0.5 {
		t.Errorf("%+v", r)
	}
}

// TestCalibrateOnGPUs writes the hardware TOML of a machine that planner-gpu
// measured, and reads it back.
func TestCalibrateOnGPUs(t *testing.T) {
	pretend(t, `case "$1" in
backends) echo '[{"backend":"nccl","ready":true,"gpus":1,"name":"NVIDIA H100 80GB HBM3","what":"NCCL 2.23.4"}]';;
measure) echo '{"gpu":"NVIDIA H100 80GB HBM3","gpus":1,"library":"driver of CUDA 12.4","gemms":[{"M":8192,"N":8192,"K":8192,"Seconds":0.0016},{"M":8192,"N":8192,"K":512,"Seconds":0.00013}],
 "traffic":[{"kernel":"norm","dtype":"bf16","bytes":536870912,"seconds":0.0002}],"peers":[[1.4e12]],"notes":["GPU 0: shared: 1 other process"]}';;
esac`)
	file := filepath.Join(t.TempDir(), "ours.toml")
	_, said, status := runHere(t, "calibrate", "--measure", "--backend", "auto", "--out", file)
	if status != 0 || !strings.Contains(said, "shared: 1 other process") {
		t.Fatalf("%d, %s", status, said)
	}
	out, said, status := runHere(t, "hardware", "show", file, "--format", "json")
	if status != 0 || !strings.Contains(out, "H100") {
		t.Errorf("%d, %s, %s", status, said, out)
	}
	if _, said, status := runHere(t, "calibrate", "--backend", "nccl"); status != 2 || !strings.Contains(said, "want --measure with it") {
		t.Errorf("%d, %s", status, said)
	}
}
