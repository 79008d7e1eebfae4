package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Profile is how one training framework runs a layout: what it can run, which
// calls it issues and when, what it keeps in memory, and the fitted constants
// of its overlap and overheads. Profiles are data: presets/profiles.
type Profile struct {
	Name   string `toml:"name"` // the spelling of --framework
	Title  string `toml:"title"`
	Target string `toml:"target"` // release that the names and defaults were read in
	Recipe string `toml:"recipe"` // where the profile follows a published recipe, not a library default

	Can    Capabilities  `toml:"can"`
	Comm   Comm          `toml:"comm"`
	Memory ProfileMemory `toml:"memory"`
	// Fit holds the fitted constants by accelerator generation, because the
	// software that ran on each differs; Default serves the others.
	Fit     map[string]ProfileFit `toml:"-"`
	Default ProfileFit            `toml:"-"`

	Source string `toml:"source"`
	AsOf   string `toml:"as_of"`
}

// FitFor returns the constants for an accelerator generation.
func (p *Profile) FitFor(arch string) *ProfileFit {
	if f, ok := p.Fit[arch]; ok {
		return &f
	}
	return &p.Default
}

// Capabilities says what a framework can run.
type Capabilities struct {
	Stages   []int `toml:"stages"`    // ZeRO stages
	PPStages []int `toml:"pp_stages"` // ZeRO stages that it combines with PP > 1; empty: no PP
	TP       bool  `toml:"tp"`
	// TPStages lists the ZeRO stages that it combines with TP > 1; empty: all.
	TPStages  []int    `toml:"tp_stages"`
	CP        bool     `toml:"cp"`
	EP        bool     `toml:"ep"`
	SP        string   `toml:"sp"` // "choice", "always" or "never" at TP > 1
	VPP       bool     `toml:"vpp"`
	Schedules []string `toml:"schedules"`
	CPKinds   []string `toml:"cp_kinds"`
	Windows   bool     `toml:"windows"` // context parallelism of layers with windows or states
	ETP       bool     `toml:"etp"`     // ETP may differ from TP
	Dispatch  []string `toml:"dispatch"`
	// Shards lists the ZeRO stages whose state may be split over fewer ranks
	// than DP·CP (HSDP, MiCS, several distributed-optimizer instances).
	Shards  []int `toml:"shards"`
	HPZ     bool  `toml:"hpz"`
	Offload bool  `toml:"offload"`
	Uneven  bool  `toml:"uneven"` // pipeline stages of unequal layers
	// Split is "cost" where layers go to stages by the cost of layers and head
	// rather than by number.
	Split    string `toml:"split"`
	FillPipe bool   `toml:"fill_pipe"` // refuses fewer micro-batches than stages
	// Even2CP says that the sequence must divide by 2·CP·TP, whether or not TP
	// splits it.
	Even2CP bool `toml:"even_2cp"`
}

// Comm says which calls a framework makes and when.
type Comm struct {
	// GradOp is the gradient call by ZeRO stage: "all_reduce" or
	// "reduce_scatter"; GradEvery its time: "step" or "micro-batch".
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
	// Overlapped says that gradient calls start during the backward pass.
	Overlapped bool `toml:"overlapped"`

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

	// Regather says that the backward pass gathers the split input of a
	// column-parallel product again, where SP keeps only the split one.
	Regather bool `toml:"regather"`
	// LowGather says that sequence-parallel gathers of 8-bit steps carry 8 bits.
	LowGather bool `toml:"low_gather"`
	// TPOverlapInDomain says that what hides TP calls behind the products before
	// and after them works within a domain of NVLink alone.
	TPOverlapInDomain bool `toml:"tp_overlap_in_domain"`
	// SplitLatent says that the down-projections of latent attention run on the
	// split sequence, so that what SP gathers is compressed.
	SplitLatent bool `toml:"split_latent"`
	// RoutingCalls says that probabilities and counts of tokens are exchanged
	// beside the tokens that go to experts.
	RoutingCalls bool `toml:"routing_calls"`
	// ExpertBias says that the tokens of each expert are summed once a step where
	// the router has a correction.
	ExpertBias bool `toml:"expert_bias"`
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

// ProfileMemory says how many bytes a parameter takes, and which buffers live.
type ProfileMemory struct {
	Weight  float64 `toml:"weight"`  // bytes per parameter, unsharded
	Grad    float64 `toml:"grad"`    // bytes per parameter, unsharded
	Master  float64 `toml:"master"`  // bytes per parameter, unsharded
	Moments float64 `toml:"moments"` // bytes per parameter, unsharded
	// LowCopies counts the quantised copies of the weights that 8-bit steps keep
	// beside the 16-bit ones: the weight and its transpose.
	LowCopies float64 `toml:"low_copies"`
	// PlainGrad is Grad of the software before the profile's release
	// (Workload.Plain), HalfGrad that of fp16 steps; 0: Grad.
	PlainGrad float64 `toml:"plain_grad"`
	HalfGrad  float64 `toml:"half_grad"`
	// WeightGrads is the bytes of an element of the placeholders of weight
	// gradients, one for each distinct shape of a matrix.
	WeightGrads float64 `toml:"weight_grads"`
	// Workspace is what the matrix libraries allocate once, ExpertWorkspace what
	// grouped products add.
	Workspace       unit.Bytes `toml:"workspace"`
	ExpertWorkspace unit.Bytes `toml:"expert_workspace"`
	// PlainGLU says that the activation of a gated MLP and its product are two
	// kernels.
	PlainGLU bool `toml:"plain_glu"`
	// SelectiveOps says that selective recomputation keeps the outputs of every
	// other product and of the attention core, rather than all but the core's.
	SelectiveOps bool `toml:"selective_ops"`
	// EarlyStop says that recomputing a layer stops before the product at its end.
	EarlyStop bool `toml:"early_stop"`
	// PrintsFirst says that the memory which the framework prints is that of
	// rank 0, on the first pipeline stage.
	PrintsFirst bool `toml:"prints_first"`
	// Gathered says that inputs of column-parallel products are kept gathered
	// although SP splits them.
	Gathered bool `toml:"gathered"`
	// VocabMultiple pads the vocabulary to a multiple of this times TP; 0: no.
	VocabMultiple int `toml:"vocab_multiple"`
	// BucketBuffers counts gradient buckets that live beside the gradients, in
	// the type of the call.
	BucketBuffers float64 `toml:"bucket_buffers"`
	// LogitsSplit and LogitsWhole are bytes per token and vocabulary entry of
	// the logits and their gradient: divided by TP, and not.
	LogitsSplit float64 `toml:"logits_split"`
	LogitsWhole float64 `toml:"logits_whole"`
	// PlainLogits is LogitsSplit of the software before the profile's release
	// (Workload.Plain); 0: LogitsSplit.
	PlainLogits float64 `toml:"plain_logits"`
}

// ProfileFit holds the fitted constants of a framework on one generation of
// accelerators. Shares are fractions of a call's standalone time that stay on
// the critical path even where work to hide behind exists.
type ProfileFit struct {
	TPExposed float64      `toml:"tp_exposed"` // TP calls with nothing beside them
	TPBeside  float64      `toml:"tp_beside"`  // TP calls issued beside an independent GEMM
	CPExposed float64      `toml:"cp_exposed"` // context-parallel exchanges beside attention
	EPExposed float64      `toml:"ep_exposed"` // expert dispatch and combine
	PPExposed float64      `toml:"pp_exposed"` // sends between stages
	DPExposed float64      `toml:"dp_exposed"` // gradient and parameter calls
	Host      unit.Seconds `toml:"host"`       // launch time of one layer in one direction
	// HostGather is added to Host where parameters are gathered layer by layer:
	// the hooks that fetch and release them.
	HostGather unit.Seconds `toml:"host_gather"`
	HostBatch  unit.Seconds `toml:"host_batch"` // host time of one micro-batch and stage
	HostStep   unit.Seconds `toml:"host_step"`  // host time of one step: data, logging, optimizer launch
	// HostExpert is the launch time of the routed part of a layer in one
	// direction, beside Host: router, permutation, dispatch, grouped products.
	HostExpert unit.Seconds `toml:"host_expert"`
	// HostCall is the host time of one TP call, beside Host: a layer whose kernels
	// are short waits for the launches of its calls too.
	HostCall unit.Seconds `toml:"host_call"`
	// Skew is the time that the host waits in a TP call of a pipeline stage for
	// each rank of its group beyond the first: the exchange with other stages
	// lets the ranks arrive apart.
	Skew unit.Seconds `toml:"skew"`
	// SkewAcross is what a TP call takes longer, likewise, where the group leaves
	// its node.
	SkewAcross unit.Seconds `toml:"skew_across"`
	// Slot is the time that a stage loses in the exchange with its neighbours
	// for each micro-batch of a pipeline, whatever the message's size.
	Slot unit.Seconds `toml:"slot"`
	// SlotWide is waited for each message of a neighbouring stage in jobs of many
	// GPUs.
	SlotWide unit.Seconds `toml:"slot_wide"`
	// Retry is the time a micro-batch loses to the allocator where memory is close
	// to capacity.
	Retry unit.Seconds `toml:"retry"`
	// NormUnfused multiplies Pointwise for norms that run as elementwise kernels
	// of the framework (Workload.UnfusedNorm); 0: 1.
	NormUnfused float64 `toml:"norm_unfused"`
	// Plain multiplies Pointwise for workloads whose residuals are not fused
	// (Workload.Plain); 0: 1.
	Plain float64 `toml:"plain"`
	// Network is the share of the nominal rate between nodes that runs reach
	// whose network nobody states; 0: 1. Only tables of runs need it.
	Network float64 `toml:"network"`
	// Misaligned multiplies the time of unfused attention whose head dimension is
	// not a multiple of 8 elements (16 bytes), which tensor cores need; 0: 1.
	Misaligned float64 `toml:"misaligned"`
	Straggler  float64 `toml:"straggler"`  // slowdown per doubling of the ranks beyond 8
	Pointwise  float64 `toml:"pointwise"`  // traffic of norms and residuals over the fused minimum
	LossBytes  float64 `toml:"loss_bytes"` // traffic of the loss per token and vocabulary entry
	Optimizer  float64 `toml:"optimizer"`  // optimizer traffic over its nominal bytes
	Compute    float64 `toml:"compute"`    // kernel time over the kernel tables' time
	Saved      float64 `toml:"saved"`      // activations but inputs and scores over the sum of saved tensors
	Fragment   float64 `toml:"fragment"`   // reserved over allocated, on activations and logits
	// LogitsSplit is bytes per token and vocabulary entry, divided by TP, where
	// the software of the generation has another loss than ProfileMemory's; 0:
	// that.
	LogitsSplit float64 `toml:"logits_split"`
	// LogitsWhole is bytes per token and vocabulary entry, not divided by TP,
	// beside ProfileMemory's where TP > 1: a loss that gathers the vocabulary. It
	// counts for the software that it was fitted on, Workload.Plain where the
	// profile tells that apart.
	LogitsWhole float64 `toml:"logits_whole"`
	// NormSaved is bytes per token and hidden element that norms keep beside
	// their input where they are not one kernel (Workload.UnfusedNorm).
	NormSaved float64 `toml:"norm_saved"`

	Runtime unit.Bytes `toml:"runtime"`  // context and libraries of one process
	PerComm unit.Bytes `toml:"per_comm"` // buffers of one communicator
}

// GradDType returns the element type of gradient calls of a layout, for weights
// of type model.
func (p *Profile) GradDType(l *Layout, model collective.DType) collective.DType {
	kind := p.Comm.GradType
	if n := p.Comm.SequenceGrad; n != "" && l.CP > 1 && (l.Zero == 1 || l.Zero == 2) {
		kind = n
	}
	if kind == "fp32" {
		return collective.FP32
	}
	return model
}

// fullWeights reports whether the weights that a rank holds are the fp32 ones.
func (p *Profile) fullWeights() bool { return p.Memory.Weight == 0 }

// gathersLayers reports whether the framework gathers parameters layer by
// layer at a ZeRO stage.
func (p *Profile) gathersLayers(zero int) bool {
	return zero == 3 || zero == 2 && p.Comm.LayerWise2
}
