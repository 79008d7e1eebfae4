package diagnose

import (
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
		Local   int  `toml:"local_batch_size"`
		Old     int  `toml:"batch_size"`
		Global  int  `toml:"global_batch_size"`
		Seq     int  `toml:"seq_len"`
		Offload bool `toml:"enable_cpu_offload"`
	} `toml:"training"`
	Parallelism struct {
		Replicate int    `toml:"data_parallel_replicate_degree"`
		Shard     int    `toml:"data_parallel_shard_degree"`
		Reshard   string `toml:"fsdp_reshard_after_forward"`
		TP        int    `toml:"tensor_parallel_degree"`
		PP        int    `toml:"pipeline_parallel_degree"`
		CP        int    `toml:"context_parallel_degree"`
		EP        int    `toml:"expert_parallel_degree"`
		ETP       int    `toml:"expert_tensor_parallel_degree"`
		Rotate    string `toml:"context_parallel_rotate_method"`
		Schedule  string `toml:"pipeline_parallel_schedule"`
		Micro     int    `toml:"pipeline_parallel_microbatch_size"`
		PerStage  int    `toml:"pipeline_parallel_layers_per_stage"`
		FirstLess int    `toml:"pipeline_parallel_first_stage_less_layers"`
		LastLess  int    `toml:"pipeline_parallel_last_stage_less_layers"`
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
		{"parallelism.expert_tensor_parallel_degree", p.ETP, 0}, {"parallelism.pipeline_parallel_first_stage_less_layers", p.FirstLess, 0},
		{"parallelism.pipeline_parallel_last_stage_less_layers", p.LastLess, 0},
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
	l.TP, l.PP, l.CP, l.EP, l.ETP = max(1, p.TP), max(1, p.PP), max(1, p.CP), max(1, p.EP), p.ETP
	l.SP = l.TP > 1
	local := max(f.Training.Local, f.Training.Old)
	l.MBS = local
	if l.PP > 1 && p.Micro > 0 {
		l.MBS = p.Micro
	}
	c.GlobalBatch = max(0, f.Training.Global)
	f.state(c)
	if c.GlobalBatch == 0 && local > 0 && c.GPUs > 0 {
		c.GlobalBatch = local * max(1, p.Replicate) * max(1, p.Shard)
	}
	l.Recompute = map[string]strategies.Recompute{"full": strategies.RecomputeFull, "selective": strategies.RecomputeSelective}[f.AC.Mode]
	f.schedule(c)
	f.ends(l)
}

// state reads how FSDP splits the state: over data_parallel_shard_degree × cp
// ranks (parallel_dims.py: fsdp_enabled is dp_shard_enabled or cp_enabled).
func (f *titanFile) state(c *Config) {
	p, l := &f.Parallelism, &c.Layout
	l.Zero = 3
	if p.Reshard == "never" || p.Reshard != "always" && l.PP > 1 {
		l.Zero = 2
	}
	if f.Training.Offload {
		l.Offload = strategies.OffloadAll
	}
	if p.Shard == 1 && l.CP == 1 {
		l.Zero = 0
	}
	if p.Shard < 1 || p.Shard == 1 && p.Replicate < 2 {
		return
	}
	l.DP = max(1, p.Replicate) * p.Shard
	c.GPUs = l.World()
	if l.Zero > 0 {
		l.Shard = p.Shard * l.CP
	}
}

// ends reads the layers of a first and a last stage that are shorter.
func (f *titanFile) ends(l *strategies.Layout) {
	p := &f.Parallelism
	if l.PP == 1 || l.VPP > 1 || p.PerStage == 0 {
		return
	}
	if n := p.PerStage - p.FirstLess; p.FirstLess > 0 && n > 0 {
		l.First = n
	}
	if n := p.PerStage - p.LastLess; p.LastLess > 0 && n > 0 {
		l.Last = n
	}
}

func (f *titanFile) schedule(c *Config) {
	p, l := &f.Parallelism, &c.Layout
	if l.CP > 1 && p.Rotate != "alltoall" {
		l.CPKind = strategies.CPAllGather
	}
	switch {
	case strings.EqualFold(p.Schedule, "GPipe"):
		l.Schedule = strategies.GPipe
	case strings.EqualFold(p.Schedule, "Interleaved1F1B") && l.PP > 1:
		l.VPP, l.Schedule, c.PerStage = 2, strategies.Interleaved, p.PerStage
		if c.PerStage == 0 {
			c.note("Interleaved1F1B: read as 2 virtual stages a rank")
		}
	}
}
