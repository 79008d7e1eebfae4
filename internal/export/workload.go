package export

import "planner/costmodel/kernel"

// trainedBy says of each target where parameters are frozen instead.
var trainedBy = map[string]string{
	"megatron":        "pretrain_gpt.py has no flag that freezes parameters; set requires_grad in your model provider",
	"megatron-bridge": "this function leaves every parameter trained; set cfg.peft, or requires_grad in your model code",
	"nemo":            "not an argument of the strategy; give a PEFT to llm.finetune, or set requires_grad in your model code",
	"deepspeed":       "not a key of ds_config.json; set requires_grad in your model code",
	"torchtitan":      "the trainer trains every parameter; set requires_grad in your model code",
	"torchtitan-toml": "the trainer trains every parameter; set requires_grad in your model code",
	"fsdp":            "not a key of accelerate's file; set requires_grad in your script",
}

// workload lists what of the question no setting of the target says: every
// target writes a job that trains all parameters.
func workload(name string, p *Plan, d *Document) {
	w := &p.Problem.Work
	if w.Forward {
		d.missing("--pass forward: the target's job trains; run the forward pass by a script of your own")
	}
	if w.Trainable > 0 && w.Trainable < 1 {
		where, ok := trainedBy[name]
		if !ok {
			where = "a matter of the training script, not of its launcher"
		}
		d.missing("--trainable %g: %s", w.Trainable, where)
	}
	if m := p.Problem.Model; len(m.MTP) > 0 {
		d.assume("the figures leave out the multi-token prediction of %s: where it is trained, its time and memory come on top, on the last stage", m.Name)
	}
	switch {
	case w.Capacity > 0:
		capacity(name, w.Capacity, d)
	case w.Imbalance > 1:
		d.assume("the busiest expert rank gets %g × the mean load, as predicted: it is your router's", w.Imbalance)
	}
	if w.Attention != kernel.Usual {
		d.assume("the attention kernel is %s, as predicted: see to it in the model's own configuration", w.Attention)
	}
}

// capacity says where a target takes the factor that experts are padded to.
func capacity(name string, factor float64, d *Document) {
	switch name {
	case "megatron", "megatron-bridge":
		d.assume("experts are padded to a capacity of %g × the mean load; what is beyond it is dropped by probability", factor)
	case "slurm", "torchrun":
	case "nemo":
		d.missing("--capacity-factor %g: set moe_expert_capacity_factor and moe_pad_expert_input_to_capacity on the model's config", factor)
	default:
		d.missing("--capacity-factor %g: no setting of the target: the job would drop no token", factor)
	}
}
