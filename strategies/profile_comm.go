package strategies

// Comm says which calls a framework makes and when.
type Comm struct {
	// GradOp is the gradient call by ZeRO stage: "all_reduce" or
	// "reduce_scatter"; GradEvery its time: "step", "micro-batch", or "micro-batch but in a
	// pipeline".
	GradOp    [4]string `toml:"grad_op"`
	GradEvery [4]string `toml:"grad_every"`
	GradType  string    `toml:"grad_type"` // element type of gradient calls: "fp32" or "model"
	// SequenceGrad is GradType under context parallelism at stages 1 and 2; "":
	// that.
	SequenceGrad string `toml:"sequence_grad"`
	// Bucket is the elements of one gradient call, 0: one call a model chunk.
	// BucketPerDP raises it with the replicas: max(Bucket, BucketPerDP·DP).
	Bucket      int `toml:"bucket"`
	BucketPerDP int `toml:"bucket_per_dp"`
	// FirstBucket is the elements of the first gradient call at stage 0, which
	// starts early (DistributedDataParallel: 1 MiB); 0: like Bucket.
	FirstBucket int `toml:"first_bucket"`
	// FirstStageBuckets says that only the first chunk of the first pipeline
	// stage is cut into buckets.
	FirstStageBuckets bool `toml:"first_stage_buckets"`
	// GatherBucket is the elements of one parameter gather after the step of
	// ZeRO-1 and -2, 0: like Bucket.
	GatherBucket int `toml:"gather_bucket"`
	// ScatterBucket is the elements of one ZeRO-3 gradient call, 0: a layer.
	ScatterBucket int `toml:"scatter_bucket"`
	// Overlapped says that gradient calls start during the backward pass, but for
	// those of the stages in LateGrads, and that the next forward pass runs beside
	// the gather of updated parameters, unless LateGather.
	Overlapped bool  `toml:"overlapped"`
	LateGrads  []int `toml:"late_grads"`
	LateGather bool  `toml:"late_gather"`
	// ReplicaStep says that ZeRO-3 sums the replicas of a shard once a step.
	ReplicaStep bool `toml:"replica_step"`

	// LayerWise2 says that stage 2 gathers layer by layer and keeps the layers
	// until their backward pass (FSDP without resharding).
	LayerWise2 bool `toml:"layer_wise2"`
	// Reshard says that ZeRO-3 frees the parameters of a layer after its
	// forward pass and gathers them again.
	Reshard bool `toml:"reshard"`
	// ReshardRoot says the same of the embedding, the head and the last norm.
	ReshardRoot bool `toml:"reshard_root"`
	// SplitRoot says that the embedding is gathered apart from the head and the
	// last norm, where they share no weights.
	SplitRoot bool `toml:"split_root"`
	// Persist is the elements below which ZeRO-3 never splits a tensor, and
	// Reuse the elements of live parameters it keeps between passes.
	Persist int `toml:"persist"`
	Reuse   int `toml:"reuse"`
	// Prefetch is the elements that a parameter gather of ZeRO-3 reaches before
	// it is sent, matrix by matrix; 0: a layer.
	Prefetch int `toml:"prefetch"`

	// Regather says that the backward pass gathers the split input of a
	// column-parallel product again, where SP keeps only the split one.
	Regather bool `toml:"regather"`
	// LowGather says that sequence-parallel gathers of 8-bit steps carry 8 bits.
	LowGather bool `toml:"low_gather"`
	// Userbuffers says that Transformer Engine's userbuffers hide TP calls behind
	// the products before and after them, where they can run.
	Userbuffers bool `toml:"userbuffers"`
	// Unbuffered lists the generations whose constants are of runs without them.
	Unbuffered []string `toml:"unbuffered"`
	// SplitLatent says that the down-projections of latent attention run on the
	// split sequence, so that what SP gathers is compressed.
	SplitLatent bool `toml:"split_latent"`
	// RoutingCalls says that probabilities and counts of tokens are exchanged
	// beside the tokens that go to experts.
	RoutingCalls bool `toml:"routing_calls"`
	// CountCalls says that the counts of tokens alone are exchanged, by AllToAll.
	CountCalls bool `toml:"count_calls"`
	// ExpertBias says that the tokens of each expert are summed once a step where
	// the router has a correction.
	ExpertBias bool `toml:"expert_bias"`
	// TensorExperts says that what experts return is summed over TP like the output
	// of any row-parallel product, and where TP splits them their input is
	// gathered so too.
	TensorExperts bool `toml:"tensor_experts"`
	// RepeatsTokens says that without SP each TP rank sends all tokens to the
	// experts, which compute them as often.
	RepeatsTokens bool `toml:"repeats_tokens"`
	// FusedLoss joins two of the three AllReduces of the vocabulary-parallel
	// loss.
	FusedLoss bool `toml:"fused_loss"`
	// Norm names the groups that the gradient norm is summed over: "" all ranks at
	// once, "data" or "mesh" one group after another.
	Norm string `toml:"norm"`
	// ValidTokens says that the tokens that count for the loss are summed.
	ValidTokens bool `toml:"valid_tokens"`
	// BroadcastBatch says that TP rank 0 broadcasts the tokens.
	BroadcastBatch bool `toml:"broadcast_batch"`
	// VocabParallel splits the embedding and the head over TP.
	VocabParallel bool `toml:"vocab_parallel"`
	// InitBroadcast says that parameters are broadcast once at the start.
	InitBroadcast bool `toml:"init_broadcast"`
}
