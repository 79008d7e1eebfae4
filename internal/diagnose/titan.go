package diagnose

import (
	"fmt"
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// titanFile is the part of a torchtitan TOML (v0.2.2 and before) that a layout
// depends on.
type titanFile struct {
	Model struct {
		Name   string `toml:"name"`
		Flavor string `toml:"flavor"`
	} `toml:"model"`
	Training struct {
		Local  int `toml:"local_batch_size"`
		Old    int `toml:"batch_size"`
		Global int `toml:"global_batch_size"`
		Seq    int `toml:"seq_len"`
	} `toml:"training"`
	Parallelism struct {
		Replicate int    `toml:"data_parallel_replicate_degree"`
		Shard     int    `toml:"data_parallel_shard_degree"`
		Reshard   string `toml:"fsdp_reshard_after_forward"`
		TP        int    `toml:"tensor_parallel_degree"`
		PP        int    `toml:"pipeline_parallel_degree"`
		CP        int    `toml:"context_parallel_degree"`
		EP        int    `toml:"expert_parallel_degree"`
		Schedule  string `toml:"pipeline_parallel_schedule"`
		Micro     int    `toml:"pipeline_parallel_microbatch_size"`
		PerStage  int    `toml:"pipeline_parallel_layers_per_stage"`
		Async     bool   `toml:"enable_async_tensor_parallel"`
	} `toml:"parallelism"`
	AC struct {
		Mode string `toml:"mode"`
	} `toml:"activation_checkpoint"`
	Compile struct {
		Enable bool `toml:"enable"`
	} `toml:"compile"`
}

func parseTitan(name string, text []byte) (*Config, error) {
	var f titanFile
	root, err := catalog.DecodeKnown(name, text, &f)
	if err != nil {
		return nil, err
	}
	if root["parallelism"] == nil && root["training"] == nil {
		return nil, catalog.Errorf("%s: no [parallelism] or [training]: want a torchtitan TOML (v0.2.2 and before)", name)
	}
	if err := f.check(name); err != nil {
		return nil, err
	}
	c := &Config{Kind: "torchtitan TOML", Framework: "torchtitan", Model: f.preset(), Seq: f.Training.Seq, Precision: "bf16"}
	f.layout(c)
	if compile, _ := root["compile"].(map[string]any); compile["enable"] == false {
		c.find("compile.enable", "false: norms, activations and the loss run as kernels of their own")
	}
	return c, nil
}

func (f *titanFile) check(name string) error {
	p := &f.Parallelism
	for _, n := range []struct {
		key   string
		v     int
		least int
	}{
		{"training.local_batch_size", f.Training.Local, 0}, {"training.global_batch_size", f.Training.Global, -1}, {"training.seq_len", f.Training.Seq, 0},
		{"parallelism.data_parallel_replicate_degree", p.Replicate, 0}, {"parallelism.data_parallel_shard_degree", p.Shard, -1},
		{"parallelism.tensor_parallel_degree", p.TP, 0}, {"parallelism.pipeline_parallel_degree", p.PP, 0},
		{"parallelism.context_parallel_degree", p.CP, 0}, {"parallelism.expert_parallel_degree", p.EP, 0},
		{"parallelism.pipeline_parallel_microbatch_size", p.Micro, 0}, {"parallelism.pipeline_parallel_layers_per_stage", p.PerStage, 0}, {"training.batch_size", f.Training.Old, 0},
	} {
		if n.v < n.least || n.v > 1<<20 {
			return catalog.Errorf("%s: %s %d: out of range: want %d to %d", name, n.key, n.v, n.least, 1<<20)
		}
	}
	return nil
}

// preset names the model of a flavor.
func (f *titanFile) preset() string {
	name, flavor := strings.ToLower(f.Model.Name), strings.ToLower(f.Model.Flavor)
	if name == "llama3" {
		name = "llama3.1"
	}
	return named(name + "-" + flavor)
}

func (f *titanFile) layout(c *Config) {
	p, l := &f.Parallelism, &c.Layout
	l.TP, l.PP, l.CP, l.EP = max(1, p.TP), max(1, p.PP), max(1, p.CP), max(1, p.EP)
	l.SP = l.TP > 1
	local := max(f.Training.Local, f.Training.Old)
	l.MBS = local
	if l.PP > 1 && p.Micro > 0 {
		l.MBS = p.Micro
	}
	c.GlobalBatch = max(0, f.Training.Global)
	l.Zero = 3
	if p.Reshard == "never" || p.Reshard != "always" && l.PP > 1 {
		l.Zero = 2
	}
	if p.Shard == 1 {
		l.Zero = 0
	}
	if p.Shard > 1 {
		l.Shard = p.Shard * l.CP
		l.DP = max(1, p.Replicate) * p.Shard
		c.GPUs = max(1, p.Replicate) * p.Shard * l.TP * l.PP * l.CP
	}
	if c.GlobalBatch == 0 && local > 0 && c.GPUs > 0 {
		c.GlobalBatch = local * max(1, p.Replicate) * max(1, p.Shard)
	}
	l.Recompute = map[string]strategies.Recompute{"full": strategies.RecomputeFull, "selective": strategies.RecomputeSelective}[f.AC.Mode]
	f.schedule(c)
}

func (f *titanFile) schedule(c *Config) {
	p, l := &f.Parallelism, &c.Layout
	l.CPKind = strategies.CPAllGather
	if l.CP == 1 {
		l.CPKind = strategies.CPP2P
	}
	switch {
	case strings.EqualFold(p.Schedule, "GPipe"):
		l.Schedule = strategies.GPipe
	case strings.EqualFold(p.Schedule, "Interleaved1F1B") && l.PP > 1:
		l.VPP, l.Schedule = 2, strategies.Interleaved
		if m, err := catalog.Model(c.Model); err == nil && c.Model != "" && p.PerStage > 0 && m.Layers()%(l.PP*p.PerStage) == 0 {
			l.VPP = max(2, m.Layers()/(l.PP*p.PerStage))
		}
		c.note(fmt.Sprintf("Interleaved1F1B: read as %d virtual stages a rank", l.VPP))
	}
}
