package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// Workload is what a step computes, whatever the layout.
type Workload struct {
	Seq         int // tokens of a sequence
	GlobalBatch int // sequences of a step
	Precision   hardware.Precision
	Forward     bool // a forward pass only (ZeRO-Inference)
	// Trainable is the share of the parameters that get gradients and
	// optimizer state, in (0, 1]; 0 stands for 1.
	Trainable float64
	Attention kernel.AttentionKernel
	// UnfusedNorm says that RMSNorm runs as elementwise kernels of the
	// framework rather than as one kernel of its own.
	UnfusedNorm bool
	// Plain says that residuals, dropout and casts beside the norms are kernels
	// of their own, as in rotary, gated models before Transformer Engine.
	Plain bool
	// ShortState says that gradients and both moments are kept in 16 bits
	// (Megatron's precision-aware optimizer with bf16 main_grads_dtype,
	// exp_avg_dtype and exp_avg_sq_dtype).
	ShortState bool
	// LayersOnly says that the layers' passes alone are asked for, as in
	// published times of a single layer: no embedding, head, optimizer or step.
	LayersOnly bool
	// Imbalance is the load of the busiest expert rank over the mean, or the
	// capacity factor that experts are padded to; 0: 1.
	Imbalance float64
	// Capacity is that factor where it was asked for; 0: no token is dropped.
	Capacity float64
}

// Trained returns the trainable share.
func (w *Workload) Trained() float64 {
	if w.Trainable == 0 {
		return 1
	}
	return w.Trainable
}

// Tokens returns the tokens of a step.
func (w *Workload) Tokens() float64 { return float64(w.Seq) * float64(w.GlobalBatch) }

// Problem is the question: a model, a cluster, a workload, and the frameworks
// that may run it, in order of preference. It is read-only once made.
type Problem struct {
	Model    *costmodel.Model
	Cluster  *hardware.Cluster
	Work     Workload
	Profiles []*Profile
	Fabric   *collective.Fabric
	Device   *kernel.Device // at the precision of the step
	Wide     *kernel.Device // at 16 bits: LM head, attention
	Counted  Counted        // what the memory of estimates counts
	// Balanced lets layers that do not divide over the stages be spread as
	// evenly as possible, as frameworks do for measured runs.
	Balanced bool
	// Correction multiplies every predicted time: one measured step of the
	// cluster sets it; 0: 1.
	Correction float64
	low        float64 // bytes of a quantised element; 0: the step is at 16 bits
	// Usable overrides the memory that a process may use; 0: the accelerator's.
	Usable unit.Bytes
}

// NewProblem joins the parts and works out the prices of the cluster.
func NewProblem(m *costmodel.Model, c *hardware.Cluster, w Workload, profiles []*Profile,
	kernels kernel.Constants, links *collective.Constants) *Problem {
	fitted := kernels.With(c.GPU.Fit)
	return &Problem{
		low: lowBytes(c.GPU, w.Precision), Model: m, Cluster: c, Work: w, Profiles: profiles,
		Fabric:     collective.NewFabric(c, links),
		Correction: c.GPU.Fit.Correction,
		Device:     kernel.NewDevice(c.GPU, w.Precision, fitted),
		Wide:       kernel.NewDevice(c.GPU, wide(w.Precision), fitted),
	}
}

// wide returns the format of what low-precision recipes leave at 16 bits.
func wide(p hardware.Precision) hardware.Precision {
	if p == hardware.FP16 || p == hardware.FP32 {
		return p
	}
	return hardware.BF16
}

// Capacity returns the memory that one process may use.
func (p *Problem) Capacity() unit.Bytes {
	if p.Usable > 0 {
		return p.Usable
	}
	return p.Cluster.GPU.Usable
}

// DefaultSeq returns the sequence length when none is given: 8192, or the
// model's maximum if smaller.
func DefaultSeq(m *costmodel.Model) int {
	if m.MaxSeq > 0 && m.MaxSeq < 8192 {
		return m.MaxSeq
	}
	return 8192
}

// LeastTokens and MostTokens are what a global batch makes where none is given.
const LeastTokens, MostTokens = 4 << 20, 16 << 20

// DefaultBatch returns the global batch when none is given: the power of two
// that makes at least LeastTokens and one sequence per GPU, at most MostTokens.
func DefaultBatch(seq, gpus int) int {
	batch := 1
	for batch*seq < LeastTokens || batch < gpus {
		batch *= 2
	}
	for batch > 1 && batch*seq > MostTokens {
		batch /= 2
	}
	return batch
}

// lowBytes returns the bytes of a quantised element in a step of 8 bits or
// fewer, scales included, on a part that has the format; 0 at 16 bits or more.
func lowBytes(gpu *hardware.Accelerator, p hardware.Precision) float64 {
	if gpu.PeakOf(p) <= gpu.PeakOf(hardware.BF16) {
		return 0
	}
	switch gpu.RunsAs(p) {
	case hardware.FP8, hardware.FP8Block:
		return 1
	case hardware.MXFP8:
		return 1 + 1.0/32 // a scale byte for 32 elements
	case hardware.NVFP4:
		return 0.5 + 1.0/16 // a scale byte for 16 elements
	}
	return 0
}
