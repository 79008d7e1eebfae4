package strategies

import (
	"slices"

	"planner/hardware"
	"planner/hardware/unit"
)

// Userbuffers reports whether the TP calls of l, over span, run beside the
// products that need them by Transformer Engine's userbuffers: where the
// framework and its constants have those, on NVIDIA's GPUs, with sequence
// parallelism alone (Megatron-LM megatron/training/arguments.py,
// --tp-comm-overlap) and inside one NVLink domain (TransformerEngine issue 1071).
func (f *Profile) Userbuffers(c *hardware.Cluster, l *Layout, span *hardware.Span) bool {
	return f.buffered(c.GPU.Arch) && l.TP > 1 && l.SP && span.Domains == 1 && c.GPU.Vendor == "nvidia"
}

// buffered reports whether the constants of a generation are of runs with
// userbuffers.
func (f *Profile) buffered(arch string) bool {
	return f.Comm.Userbuffers && !slices.Contains(f.Comm.Unbuffered, hardware.Family(arch))
}

// TensorExposed returns the share that stays exposed of l's TP calls over span
// that no product of their own layer runs beside: fit's, or all of it where
// userbuffers hid them in the runs that it was fitted on and cannot here.
func (f *Profile) TensorExposed(fit *ProfileFit, c *hardware.Cluster, l *Layout, span *hardware.Span) float64 {
	if f.buffered(c.GPU.Arch) && !f.Userbuffers(c, l, span) {
		return max(1, fit.TPExposed)
	}
	return fit.TPExposed
}

// Userbuffers are registered with NVLink's multicast for each product of a layer
// that a TP call runs beside, each of the whole hidden state of a micro-batch:
// of these ten products (TransformerEngine pytorch/module/base.py, initialize_ub)
// six gather what they read, in 8 bits where products are.
const (
	gatheringBuffers = 6 // qkv, fc1: forward and input gradient; proj, fc2: input gradient
	reducingBuffers  = 4 // proj, fc2: forward; qkv, fc1: weight gradient
)

// userbuffers returns the memory of the userbuffers of a rank, which PyTorch
// does not count among its tensors.
func (s *site) userbuffers() unit.Bytes {
	if !s.prof.Userbuffers(s.p.Cluster, &s.l, &s.tp) {
		return 0
	}
	each := s.gatherType().Size()*gatheringBuffers + s.model.Size()*reducingBuffers
	return s.tokens().Times(float64(s.p.Model.Hidden) * each)
}

// UserbufferBytes returns the memory of a layout's userbuffers on one rank.
func (p *Problem) UserbufferBytes(f *Profile, l *Layout) unit.Bytes {
	return newSite(p, f, *l).userbuffers()
}
