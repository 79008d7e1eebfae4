package export

import (
	"planner/hardware"
	"planner/strategies"
)

// accelerateAssumed says what the figures rest on beside the file.
func accelerateAssumed(p *Plan, d *Document) {
	l, w := &p.Layout, &p.Problem.Work
	d.assume("the model and its sequences of %d tokens are your script's, and so are AdamW(fused=True), a flash kernel for attention, no torch.compile and a loss over whole logits in fp32, as predicted", w.Seq)
	accelerateSums(l, w.Precision, p.MicroBatches(), d)
	if n := p.Problem.Cluster.Nodes(); n > 1 {
		d.assume("on each of the %d nodes: accelerate launch --config_file … --rdzv_backend c10d --machine_rank NODE --main_process_ip HEAD --main_process_port 29500 (its defaults go before the file's rdzv_backend)", n)
	}
}

// accelerateSums says when and in which type gradients are summed. Accelerator's
// accumulate turns the sums of all but the last micro-batch off (accelerator.py,
// no_sync), which under FSDP leaves whole gradients on every GPU; autocast's
// gradients under DistributedDataParallel are the parameters' fp32.
func accelerateSums(l *strategies.Layout, w hardware.Precision, batches int, d *Document) {
	if l.DP == 1 {
		return
	}
	if l.Zero > 0 && batches > 1 {
		d.assume("gradients are scattered after each micro-batch, as predicted: give Accelerator GradientAccumulationPlugin(num_steps=%d, sync_each_batch=True), without which every GPU holds whole ones", batches)
	}
	if hook, ok := map[hardware.Precision]string{hardware.BF16: "BF16", hardware.FP16: "FP16"}[w]; ok && l.Zero == 0 {
		d.assume("gradients are summed in %s, as predicted: DistributedDataParallel sums fp32 ones unless given DistributedDataParallelKwargs(comm_hook=DDPCommunicationHookType.%s)", w, hook)
	}
}
