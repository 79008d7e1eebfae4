package export

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"planner/costmodel"
	"planner/strategies"
)

// configured are the targets whose files the launchers start, by framework.
var configured = map[string]string{"megatron": "megatron", "torchtitan": "torchtitan-toml", "deepspeed": "deepspeed", "fsdp": "fsdp"}

// launched notes a layout of which there is no file to start.
func launched(p *Plan, d *Document) {
	target, ok := configured[p.Profile.Name]
	if !ok {
		return
	}
	if _, refused := Gaps(target, p); refused != "" {
		d.missing("the file to start, --to %s: %s", target, refused)
	}
}

// training returns the training script and its arguments, by framework.
func training(p *Plan, d *Document) string {
	switch p.Profile.Name {
	case "megatron":
		d.assume("megatron.args is the file of: planner export --to megatron -o megatron.args")
		return "pretrain_gpt.py $(grep -v '^#' megatron.args)"
	case "torchtitan":
		d.assume("planned.toml is the file of: planner export --to torchtitan-toml -o planned.toml (v0.2.2)")
		return "-m torchtitan.train --job.config_file planned.toml"
	case "deepspeed":
		d.assume("ds_config.json is the file of: planner export --to deepspeed -o ds_config.json")
		return "train.py --deepspeed ds_config.json"
	case "nanotron":
		d.missing("the layout: planner writes no config.yaml of nanotron; set its parallelism and tokens sections by the layout above")
		return "run_train.py --config-file config.yaml"
	}
	d.missing("the layout: planner writes no arguments of %s; give your script those of the layout above", p.Profile.Name)
	return "train.py"
}

// processes returns nodes and processes of each, noting a partly empty node.
func processes(p *Plan, d *Document) (nodes, each int) {
	c := p.Problem.Cluster
	nodes, each = c.Nodes(), min(c.PerNode, c.GPUs)
	if nodes > 1 && c.GPUs%c.PerNode != 0 {
		d.missing("%d GPUs on nodes of %d: every node starts %d processes, %d in all", c.GPUs, c.PerNode, each, nodes*each)
	}
	return nodes, each
}

// placement says what no launcher can promise.
func placement(p *Plan, d *Document) {
	if p.Profile.Name == "megatron" {
		d.assume("rank order tp-cp-ep-dp-pp is Megatron's default: --use-tp-pp-dp-mapping would break the plan")
	}
	if p.Layout.PP > 1 && p.Problem.Cluster.Nodes() > 1 {
		d.missing("which nodes share a leaf switch: ask your site for --switches or a topology file")
	}
}

// environment are variables that the prediction relies on: torchtitan's
// run_train.sh has the allocator's, and torchrun gives a process one thread,
// with which an optimizer on the CPU does not reach the memory's rate.
func environment(p *Plan) string {
	vars := ""
	if n := connections(p); p.Profile.Name == "megatron" && n > 0 {
		vars += fmt.Sprintf("export CUDA_DEVICE_MAX_CONNECTIONS=%d\n", n)
	}
	if p.Profile.Name == "torchtitan" {
		vars += "export PYTORCH_ALLOC_CONF=expandable_segments:True\n"
	}
	if p.Layout.Offload != strategies.OffloadNone {
		vars += fmt.Sprintf("export OMP_NUM_THREADS=$(($(nproc) / %d))\n", min(p.Problem.Cluster.PerNode, p.Problem.Cluster.GPUs))
	}
	return vars
}

// start is the command that starts the processes of one node; the head's address
// and the node's number are words of the shell, to be quoted. Accelerate's file
// reaches a script through its own launcher, whose defaults go before what the
// file says of rendezvous.
func start(p *Plan, d *Document, id, head, node string) string {
	nodes, each := processes(p, d)
	placement(p, d)
	if p.Profile.Name == "fsdp" {
		d.assume("train.py is your script and accelerate.yaml the file of: planner export --to fsdp -o accelerate.yaml")
		return fmt.Sprintf("accelerate launch --config_file accelerate.yaml --num_machines %d --num_processes %d \\\n  --rdzv_backend c10d --machine_rank \"%s\" --main_process_ip \"%s\" --main_process_port 29500 \\\n  train.py", nodes, nodes*each, node, head)
	}
	return fmt.Sprintf("torchrun --nnodes %d --nproc_per_node %d \\\n  --rdzv_id %s --rdzv_backend c10d --rdzv_endpoint \"%s:29500\" \\\n  %s", nodes, each, id, head, training(p, d))
}

// unsafe are the characters that a file's name had better not have, among them
// the % of Slurm's patterns.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// jobName is a model's name as --output makes a file's name of it. A model read
// from a file has the file's; that of every model of Hugging Face is
// config.json, in a folder of its own name.
func jobName(m *costmodel.Model) string {
	name := m.Name
	if ext := filepath.Ext(name); ext == ".json" || ext == ".toml" {
		name = strings.TrimSuffix(name, ext)
		if filepath.Base(name) == "config" {
			name = filepath.Dir(name)
		}
	}
	name = strings.Trim(unsafe.ReplaceAllString(filepath.Base(name), "-"), "-._")
	if name == "" {
		return "train"
	}
	return name
}

// slurm writes a batch script after the frameworks' own examples.
func slurm(p *Plan, d *Document) {
	c := p.Problem.Cluster
	run := start(p, d, `"$SLURM_JOB_ID"`, "$head", "$SLURM_NODEID")
	share := ""
	if strings.Contains(run, "$SLURM_NODEID") { // of each task
		share, run = "export head\n", "bash -c '"+run+"'"
	}
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	fmt.Fprintf(&b, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:%d\n#SBATCH --exclusive\n#SBATCH --output=%%x-%%j.out\n", jobName(p.Problem.Model), c.Nodes(), min(c.PerNode, c.GPUs))
	b.WriteString(d.commented("# "))
	b.WriteString("set -euo pipefail\n" + environment(p))
	b.WriteString("head=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n" + share)
	b.WriteString("srun --kill-on-bad-exit=1 " + run + "\n")
	d.Text = b.String()
}

// torchrun writes the command to start on every node.
func torchrun(p *Plan, d *Document) {
	nodes := p.Problem.Cluster.Nodes()
	run := start(p, d, "planner", "${HEAD:?address of the first node}", "${NODE:?number of this node, 0 for the first}")
	what := "HEAD set to the first node's address"
	if strings.Contains(run, "${NODE") {
		what += fmt.Sprintf(" and NODE to its own number, 0 to %d", nodes-1)
	}
	d.assume("start it on each of the %d nodes with %s", nodes, what)
	d.Text = "#!/bin/bash\n" + d.commented("# ") + "set -euo pipefail\n" + environment(p) + run + "\n"
}
