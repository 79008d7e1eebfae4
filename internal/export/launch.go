package export

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"planner/costmodel"
)

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
	case "fsdp":
		d.assume("train.py is your script, with the mesh of: planner export --to fsdp -o accelerate.yaml")
		return "train.py"
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

// environment are variables that the prediction relies on.
func environment(p *Plan) string {
	if n := connections(p); p.Profile.Name == "megatron" && n > 0 {
		return fmt.Sprintf("export CUDA_DEVICE_MAX_CONNECTIONS=%d\n", n)
	}
	return ""
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
	nodes, each := processes(p, d)
	placement(p, d)
	run := training(p, d)
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	name := jobName(p.Problem.Model)
	fmt.Fprintf(&b, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:%d\n#SBATCH --exclusive\n#SBATCH --output=%%x-%%j.out\n", name, nodes, each)
	b.WriteString(d.commented("# "))
	b.WriteString("set -euo pipefail\n" + environment(p))
	b.WriteString("head=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n")
	fmt.Fprintf(&b, "srun --kill-on-bad-exit=1 torchrun --nnodes %d --nproc_per_node %d \\\n  --rdzv_id \"$SLURM_JOB_ID\" --rdzv_backend c10d --rdzv_endpoint \"$head:29500\" \\\n  %s\n", nodes, each, run)
	d.Text = b.String()
}

// torchrun writes the command to start on every node.
func torchrun(p *Plan, d *Document) {
	nodes, each := processes(p, d)
	placement(p, d)
	run := training(p, d)
	d.assume("start it on each of the %d nodes with HEAD set to the first node's address", nodes)
	d.Text = "#!/bin/bash\n" + d.commented("# ") + "set -euo pipefail\n" + environment(p) +
		fmt.Sprintf("torchrun --nnodes %d --nproc_per_node %d \\\n  --rdzv_id planner --rdzv_backend c10d --rdzv_endpoint \"${HEAD:?address of the first node}:29500\" \\\n  %s\n", nodes, each, run)
}
