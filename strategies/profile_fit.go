package strategies

import (
	"planner/hardware/unit"
)

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
