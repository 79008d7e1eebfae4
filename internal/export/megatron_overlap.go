package export

import "planner/hardware"

// hidesTensorCalls reports whether TP calls run beside products by userbuffers,
// as the estimate has it.
func hidesTensorCalls(p *Plan) bool {
	c := p.Problem.Cluster
	span := c.Span(1, p.Layout.TP)
	return p.Profile.Userbuffers(c, &p.Layout, &span)
}

// connections returns the CUDA_DEVICE_MAX_CONNECTIONS that Megatron runs with,
// 0 where its default serves: before Blackwell one, so that TP and CP calls
// start ahead of the product that hides them (asserted in arguments.py), which
// its FSDP forbids; since then 32, so that no stream waits for another
// (Megatron-Bridge training/comm_overlap.py).
func connections(p *Plan) int {
	l := &p.Layout
	switch {
	case l.TP*l.CP == 1 || l.Zero > 1:
		return 0
	case hardware.Family(p.Problem.Cluster.GPU.Arch) != "blackwell":
		return 1
	case l.DP*l.PP > 1:
		return 32
	}
	return 0
}

// assumeConnections notes what no file of Megatron's sets.
func assumeConnections(p *Plan, d *Document) {
	switch n := connections(p); {
	case n > 0:
		d.assume("the environment has CUDA_DEVICE_MAX_CONNECTIONS=%d", n)
	case p.Layout.Zero > 1:
		d.assume("the environment has no CUDA_DEVICE_MAX_CONNECTIONS=1, which Megatron-FSDP refuses")
	}
}

// gradBucket returns the elements of a gradient bucket, as the profile cuts
// them and --ddp-bucket-size would.
func gradBucket(p *Plan) int {
	comm := &p.Profile.Comm
	return max(comm.Bucket, comm.BucketPerDP*p.Layout.DP)
}

// refuseTokenCopies refuses what Megatron's MoE layer stops in training: TP
// without sequence parallelism, where every TP rank holds all tokens
// (megatron/core/transformer/moe/moe_layer.py, forward).
func refuseTokenCopies(p *Plan, d *Document) {
	l := &p.Layout
	if p.Problem.Model.Experts() > 0 && l.TP > 1 && !l.SP && !p.Problem.Work.Forward {
		d.refuse("sp", "tp=%d,sp=false: Megatron's MoE layer stops a training step without sequence parallelism: use sp=true", l.TP)
	}
}

// fusedLoss reports whether the constants are of software whose loss is one
// kernel: Transformer Engine's writes the gradient over the 16-bit logits.
func fusedLoss(p *Plan) bool {
	split := p.Profile.FitFor(p.Problem.Cluster.GPU.Arch).LogitsSplit
	return p.Profile.Name == "megatron" && split > 0 && split < p.Profile.Memory.LogitsSplit
}
