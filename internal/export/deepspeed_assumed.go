package export

import (
	"slices"

	"planner/strategies"
)

// leaves are the model_types whose MoE block ZeRO-3 gathers whole by itself
// (runtime/zero/leaf_module_config.py).
var leaves = []string{"mixtral", "qwen2_moe", "qwen3_moe"}

// dsAssumed says what the figures rest on beside the file.
func dsAssumed(p *Plan, d *Document) {
	l := &p.Layout
	d.assume("the model and its sequences of %d tokens are your script's, and so are a flash kernel for attention, no torch.compile and a loss over whole logits, as predicted", p.Problem.Work.Seq)
	adam := "FusedAdam, as predicted"
	if l.Offload != strategies.OffloadNone {
		adam = "DeepSpeedCPUAdam, as predicted, on OMP_NUM_THREADS cores of each process: torchrun leaves it one; the engine stops at another optimizer"
	}
	d.assume("the optimizer is your script's, or that of an \"optimizer\" section: %s", adam)
	if l.EP > 1 {
		d.assume("ep wants the experts' parameters in groups of their own: the \"optimizer\" section makes them (moe/utils.py, configure_moe_param_groups)")
	}
	if m := p.Problem.Model; l.Zero == 3 && l.EP == 1 && m.Experts() > 0 && !slices.Contains(leaves, m.Family) {
		d.assume("the MoE block of %s is a leaf of ZeRO-3 (zero_optimization.leaf_module, or set_z3_leaf_modules): ranks whose tokens take other experts would wait for each other's gathers", m.Name)
	}
}

func dsOffloads(c *dsConfig, l *strategies.Layout, d *Document) {
	if l.Offload != strategies.OffloadNone {
		c.Zero.Optimizer = &dsOffload{"cpu", true}
	}
	if l.Offload == strategies.OffloadAll {
		c.Zero.Param = &dsOffload{"cpu", true}
	}
	if l.HPZ > 0 {
		d.assume("zero_hpz_partition_size is the GPUs of a node: %d", l.HPZ)
		if l.Offload != strategies.OffloadNone {
			d.assume("warning: hpZ together with offload is reported broken (constant loss, zero gradient norm): LlamaFactory issue 6372")
		}
	}
}
