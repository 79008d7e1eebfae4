package strategies

import (
	"planner/costmodel"
	"planner/hardware/unit"
)

// launches returns the host time of one direction of a layer.
func (s *site) launches(l *costmodel.Layer, slice *costmodel.Slice) unit.Seconds {
	t := s.fit.Host
	if l.Mixer.FallsBack(slice) {
		t = t.Times(unfusedLaunches)
	}
	if s.layerWise() {
		t += s.fit.HostGather
	}
	if l.FFN.Experts > 0 {
		t += s.fit.HostExpert
	}
	if s.l.TP > 1 {
		t += s.fit.HostCall.Times(tensorParts(l))
	}
	return t
}

// unfusedLaunches is the launches of a layer over those with the fused softmax:
// of the 22 of a GPT layer that makes cast, scale, mask (two), softmax and cast
// out of one (Megatron-LM fused_softmax.py, forward_torch_softmax).
const unfusedLaunches = 27.0 / 22

// lateness returns how the ranks of a TP call wait for one another: their
// hosts beside a pipeline, their kernels across nodes.
func (s *site) lateness() lateness {
	var x lateness
	if s.l.PP > 1 {
		x.host = s.fit.Skew
	}
	if s.tp.Domains > 1 {
		x.kernel = s.fit.SkewAcross
	}
	return x
}
