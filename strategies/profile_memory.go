package strategies

import (
	"planner/hardware/unit"
)

// ProfileMemory says how many bytes a parameter takes, and which buffers live.
type ProfileMemory struct {
	Weight  float64 `toml:"weight"`  // bytes per parameter, unsharded
	Grad    float64 `toml:"grad"`    // bytes per parameter, unsharded
	Master  float64 `toml:"master"`  // bytes per parameter, unsharded
	Moments float64 `toml:"moments"` // bytes per parameter, unsharded
	// LowCopies counts the quantised copies of the weights that 8-bit steps keep
	// beside the 16-bit ones: the weight and its transpose.
	LowCopies float64 `toml:"low_copies"`
	// LowSaved says that 8-bit steps keep the inputs of products quantised.
	LowSaved bool `toml:"low_saved"`
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
