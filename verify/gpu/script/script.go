// Package script writes what starts a measurement on other people's clusters:
// a Slurm batch script, torchrun or mpirun commands, a Kubernetes job. Every
// one runs planner-gpu with a process for each GPU.
package script

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// Kind is a launcher.
type Kind string

// The launchers.
const (
	Slurm      Kind = "slurm"
	Torchrun   Kind = "torchrun"
	Mpirun     Kind = "mpirun"
	Kubernetes Kind = "k8s"
)

// Kinds lists the launchers.
func Kinds() []Kind { return []Kind{Slurm, Torchrun, Mpirun, Kubernetes} }

// Options describe the job.
type Options struct {
	Kind    Kind
	Nodes   int
	PerNode int      // GPUs, and so ranks, of a node
	Program string   // planner-gpu as the nodes find it; "" is planner-gpu
	Args    []string // of the program
	Name    string   // of the job; "" is planner-verify
	Image   string   // container image of Kubernetes
	Minutes int      // time limit; 0 is 15
	// Input is a file that the job writes beside it as InputName before it
	// starts, and ranks read.
	Input []byte
	// Resource is what Kubernetes counts GPUs as; "" is nvidia.com/gpu.
	Resource string
}

// InputName is the file's name.
const InputName = "planner-work.gz"

// port is where rank 0 listens; torchrun's rendezvous takes the next.
const port = 29510

// ParseKind reads the name of a launcher.
func ParseKind(s string) (Kind, error) {
	for _, k := range Kinds() {
		if string(k) == s {
			return k, nil
		}
	}
	return "", fmt.Errorf("--print %q: unknown: want slurm, torchrun, mpirun or k8s", s)
}

// dnsName is what Kubernetes accepts as a name (RFC 1123 label), less what
// its job adds to it.
var dnsName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

// Write returns the script. It fails when the options cannot be.
func Write(o Options) (string, error) {
	if err := o.fill(); err != nil {
		return "", err
	}
	switch o.Kind {
	case Slurm:
		return o.slurm(), nil
	case Torchrun:
		return o.torchrun(), nil
	case Mpirun:
		return o.mpirun(), nil
	}
	return o.kubernetes()
}

func (o *Options) fill() error {
	if _, err := ParseKind(string(o.Kind)); err != nil {
		return err
	}
	if o.Nodes < 1 || o.Nodes > 100_000 {
		return fmt.Errorf("nodes %d: out of range: want 1 to 100,000", o.Nodes)
	}
	if o.PerNode < 1 || o.PerNode > 128 {
		return fmt.Errorf("GPUs of a node %d: out of range: want 1 to 128", o.PerNode)
	}
	for _, d := range []struct {
		to  *string
		def string
	}{{&o.Program, "planner-gpu"}, {&o.Name, "planner-verify"}, {&o.Resource, "nvidia.com/gpu"}} {
		if *d.to == "" {
			*d.to = d.def
		}
	}
	if o.Minutes <= 0 {
		o.Minutes = 15
	}
	if !dnsName.MatchString(o.Name) {
		return fmt.Errorf("job name %q: not a name: want up to 52 of a-z, 0-9 and - inside", o.Name)
	}
	if strings.ContainsAny(o.Program+strings.Join(o.Args, "")+o.Image+o.Resource, "\n\r\x00") {
		return fmt.Errorf("program, arguments, image: a line break: want one line")
	}
	return nil
}

// command is the program and its arguments, for a shell.
func (o *Options) command() string {
	words := []string{quote(o.Program)}
	for _, a := range o.Args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

func quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

const head = "#!/bin/bash\n"

// input writes the file.
func (o *Options) input() string {
	if len(o.Input) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "base64 -d > %s <<'END_OF_WORK'\n", InputName)
	text := base64.StdEncoding.EncodeToString(o.Input)
	for ; len(text) > line; text = text[line:] {
		b.WriteString(text[:line] + "\n")
	}
	b.WriteString(text + "\nEND_OF_WORK\n")
	return b.String()
}

// line is the length of the lines of an encoded file.
const line = 120

func (o *Options) slurm() string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=%d\n#SBATCH --gres=gpu:%d\n", o.Name,
		o.Nodes, o.PerNode, o.PerNode)
	fmt.Fprintf(&b, "#SBATCH --exclusive\n#SBATCH --time=%d\n#SBATCH --output=%%x-%%j.out\n", o.Minutes)
	b.WriteString("# start: sbatch THIS_FILE; a partition or account goes on the command line\nset -euo pipefail\n")
	b.WriteString("MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n")
	fmt.Fprintf(&b, "export MASTER_ADDR MASTER_PORT=%d\n", port)
	b.WriteString(o.input())
	fmt.Fprintf(&b, "srun --kill-on-bad-exit=1 --ntasks=%d --gpu-bind=none \\\n  %s\n", o.Nodes*o.PerNode, o.command())
	return b.String()
}

func (o *Options) torchrun() string {
	return head + fmt.Sprintf(`# start on each of the %d nodes, with HEAD set to the first node's address
set -euo pipefail
%storchrun --no_python --nnodes %d --nproc_per_node %d --rdzv_id %s \
  --rdzv_backend c10d --rdzv_endpoint "${HEAD:?address of the first node}:%d" \
  %s
`, o.Nodes, o.input(), o.Nodes, o.PerNode, o.Name, port+1, o.command())
}

func (o *Options) mpirun() string {
	return head + fmt.Sprintf(`# start on the first node; hosts.txt has a node in each line, this one first
set -euo pipefail
MASTER_ADDR=${HEAD:-$(hostname -f)}
export MASTER_ADDR MASTER_PORT=%d
%smpirun -np %d --hostfile hosts.txt --map-by ppr:%d:node --bind-to none \
  -x MASTER_ADDR -x MASTER_PORT -x LD_LIBRARY_PATH \
  %s
`, port, o.input(), o.Nodes*o.PerNode, o.PerNode, o.command())
}
