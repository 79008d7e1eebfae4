package script

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var args = []string{"bench", "--backend", "nccl", "--dtype", "bf16", "it's"}

func options(k Kind) Options {
	return Options{Kind: k, Nodes: 4, PerNode: 8, Args: args, Image: "registry.example/planner:1"}
}

// TestShellsAreWellFormed lets bash read every script without running it.
func TestShellsAreWellFormed(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, k := range []Kind{Slurm, Torchrun, Mpirun} {
		s, err := Write(options(k))
		if err != nil {
			t.Fatal(err)
		}
		check(t, bash, s)
	}
}

func check(t *testing.T, bash, s string) {
	t.Helper()
	c := exec.Command(bash, "-n")
	c.Stdin = strings.NewReader(s)
	if b, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, b, s)
	}
}

func TestNumbers(t *testing.T) {
	for k, want := range map[Kind][]string{
		Slurm:    {"--nodes=4\n", "--ntasks-per-node=8\n", "--gres=gpu:8\n", "--ntasks=32 ", `'it'\''s'`, "MASTER_PORT=29510"},
		Torchrun: {"--nnodes 4 --nproc_per_node 8 ", "--no_python", "planner-gpu bench --backend nccl"},
		Mpirun:   {"-np 32 ", "ppr:8:node", "-x MASTER_ADDR -x MASTER_PORT"},
	} {
		s, err := Write(options(k))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(s, w) {
				t.Errorf("%s: no %q in\n%s", k, w, s)
			}
		}
	}
}

// TestTorchrunStartsRanks runs torchrun's line with a torchrun of our own that
// shows its arguments.
func TestTorchrunStartsRanks(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "torchrun"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Write(options(Torchrun))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bash, "-c", s)
	c.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HEAD=n0"}
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := append([]string{"n0:29511", "planner-gpu"}, args...)
	if tail := got[len(got)-len(want):]; strings.Join(tail, "|") != strings.Join(want, "|") {
		t.Errorf("%q: want %q at the end", got, want)
	}
}

// TestKubernetes decodes the documents and runs the pod's shell on a program
// that prints its rank.
func TestKubernetes(t *testing.T) {
	s, err := Write(options(Kubernetes))
	if err != nil {
		t.Fatal(err)
	}
	type doc struct {
		Kind string
		Spec struct {
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					Subdomain  string
					Containers []struct {
						Image     string
						Args      []string
						Env       []struct{ Name, Value string }
						Resources struct{ Limits map[string]int }
					}
				}
			}
		}
	}
	var docs []doc
	for dec := yaml.NewDecoder(bytes.NewReader([]byte(s))); ; {
		var d doc
		if err := dec.Decode(&d); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
		docs = append(docs, d)
	}
	if len(docs) != 2 || docs[0].Kind != "Service" || docs[1].Kind != "Job" {
		t.Fatalf("%+v: want a Service and a Job", docs)
	}
	c := docs[1].Spec.Template.Spec.Containers[0]
	if docs[1].Spec.Completions != 4 || c.Resources.Limits["nvidia.com/gpu"] != 8 || c.Env[2].Value != "32" ||
		c.Env[0].Value != "planner-verify-0.planner-verify" || c.Image != "registry.example/planner:1" {
		t.Errorf("%+v", docs[1])
	}
	runPod(t, c.Args[0])
}

func runPod(t *testing.T, shell string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	dir := t.TempDir()
	program := "#!/bin/sh\necho $RANK $LOCAL_RANK\n[ \"$RANK\" != \"$FAIL\" ]\n"
	if err := os.WriteFile(filepath.Join(dir, "planner-gpu"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, fail := range []string{"none", "19"} {
		c := exec.Command(bash, "-c", shell)
		c.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "JOB_COMPLETION_INDEX=2", "FAIL=" + fail}
		out, err := c.Output()
		if (err != nil) != (fail == "19") {
			t.Errorf("rank %s fails: %v", fail, err)
		}
		if fail == "none" && (!strings.Contains(string(out), "16 0\n") || !strings.Contains(string(out), "23 7\n")) {
			t.Errorf("%q: want ranks 16 to 23", out)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`--print "pbs": unknown: want slurm, torchrun, mpirun or k8s`: {Kind: "pbs", Nodes: 1, PerNode: 8},
		"nodes 0: out of range: want 1 to 100,000":                    {Kind: Slurm, PerNode: 8},
		"GPUs of a node 0: out of range":                              {Kind: Slurm, Nodes: 1},
		"k8s: no image":                                               {Kind: Kubernetes, Nodes: 1, PerNode: 8},
		`job name "A b"`:                                              {Kind: Slurm, Nodes: 1, PerNode: 8, Name: "A b"},
		"a line break":                                                {Kind: Slurm, Nodes: 1, PerNode: 8, Args: []string{"a\nb"}},
	} {
		if _, err := Write(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("slurm", "planner-gpu", "a b", "x")
	f.Fuzz(func(t *testing.T, kind, program, arg, image string) {
		s, err := Write(Options{Kind: Kind(kind), Nodes: 2, PerNode: 8, Program: program, Args: []string{arg}, Image: image})
		if err == nil && s == "" {
			t.Error("an empty script")
		}
	})
}
