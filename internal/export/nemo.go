package export

import (
	"fmt"
	"strings"

	"planner/hardware"
	"planner/strategies"
)

// nemo writes the strategy, trainer and data of NeMo 2
// (nemo/collections/llm/recipes). Megatron-Bridge is where new work is.
func nemo(p *Plan, d *Document) {
	l, w, c := &p.Layout, &p.Problem.Work, p.Problem.Cluster
	var s strings.Builder
	arg := func(name string, value any) { fmt.Fprintf(&s, "    %s=%v,\n", name, value) }
	arg("tensor_model_parallel_size", l.TP)
	arg("sequence_parallel", pyBool(l.SP && l.TP > 1))
	arg("pipeline_model_parallel_size", l.PP)
	arg("pipeline_dtype", "torch.bfloat16")
	vpp := "None"
	if l.VPP > 1 {
		vpp = fmt.Sprint(l.VPP)
	}
	arg("virtual_pipeline_model_parallel_size", vpp)
	arg("context_parallel_size", l.CP)
	arg("expert_model_parallel_size", l.EP)
	if p.Problem.Model.Experts() > 0 {
		arg("expert_tensor_parallel_size", l.ETP)
	}
	fmt.Fprintf(&s, "    ddp=DistributedDataParallelConfig(\n        use_distributed_optimizer=%s,\n        overlap_grad_reduce=True,\n        overlap_param_gather=%s,\n        grad_reduce_in_fp32=%s,\n    ),\n",
		pyBool(l.Zero > 0), pyBool(l.Zero > 0), pyBool(p.Profile.Comm.GradType == "fp32"))
	nemoMissing(l, w.Precision, d)
	refuseTokenCopies(p, d)
	assumeConnections(p, d)
	d.assume("data parallel %d is implied by num_nodes × devices; global batch %d = micro-batch %d × GA %d × DP %d", l.DP, w.GlobalBatch, l.MBS, p.MicroBatches(), l.DP)
	d.assume("optim=distributed_fused_adam_with_cosine_annealing() turns the distributed optimizer on by itself: at zero=0 pass an OptimizerConfig with use_distributed_optimizer=False too")
	d.assume("NeMo 2 is the older path: --to megatron-bridge is where new work is")
	d.Text = d.commented("# ") + fmt.Sprintf(nemoText, s.String(), c.Nodes(), min(c.PerNode, c.GPUs), nemoOverlap(p), w.Seq, w.GlobalBatch, l.MBS)
}

const nemoText = `
import torch
from megatron.core.distributed import DistributedDataParallelConfig
from nemo import lightning as nl
from nemo.collections.llm.gpt.data.mock import MockDataModule
from nemo.collections.llm.recipes.precision.mixed_precision import bf16_mixed
from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback

strategy = nl.MegatronStrategy(
%s)

trainer = nl.Trainer(
    accelerator="gpu",
    num_nodes=%d,
    devices=%d,
    strategy=strategy,
    plugins=bf16_mixed(),
    callbacks=[MegatronCommOverlapCallback(%s)],
    accumulate_grad_batches=1,
    use_distributed_sampler=False,
)

data = MockDataModule(seq_length=%d, global_batch_size=%d, micro_batch_size=%d)
`

// nemoOverlap are the arguments of what hides communication
// (nemo/lightning/pytorch/callbacks/megatron_comm_overlap.py).
func nemoOverlap(p *Plan) string {
	args := "tp_comm_overlap=" + pyBool(hidesTensorCalls(p))
	if n := gradBucket(p); n > 0 {
		args += fmt.Sprintf(", bucket_size=%d", n)
	}
	return args
}

func nemoMissing(l *strategies.Layout, w hardware.Precision, d *Document) {
	megatronSchedule(l, d)
	if l.Zero > 1 {
		d.cannot("zero", "zero=%d: nl.MegatronStrategy splits the optimizer state alone (zero=1)", l.Zero)
	}
	if l.Zero > 0 && l.Shard < l.DataRanks() {
		d.cannot("shard", "shard=%d: not an argument of the strategy", l.Shard)
	}
	if l.First > 0 || l.Last > 0 {
		d.cannot("first,last", "first=%d,last=%d: set num_layers_in_first_pipeline_stage and …_last_… on the model's config", l.First, l.Last)
	}
	if l.Recompute != strategies.RecomputeNone {
		d.cannot("recompute", "recompute=%s: set recompute_granularity, recompute_method and recompute_num_layers on the model's config", l.Recompute)
	}
	if l.CP > 1 && l.CPKind != strategies.CPP2P {
		d.cannot("cpkind", "cpkind=%s: set cp_comm_type on the model's config", l.CPKind)
	}
	if l.EP > 1 && l.Dispatcher != strategies.DispatchAllToAll {
		d.cannot("dispatcher", "dispatcher=%s: set moe_token_dispatcher_type on the model's config", l.Dispatcher)
	}
	if l.HPZ > 0 || l.Offload != strategies.OffloadNone {
		d.cannot("hpz,offload", "hpz and offload: not arguments of the strategy")
	}
	if w != hardware.BF16 {
		d.missing("precision %s: bf16_mixed() is written; choose the plugin of nemo/collections/llm/recipes/precision", w)
	}
}
