package costmodel

import (
	"math"

	"planner/costmodel/kernel"
)

// FallsBack reports whether an attention core that asks for the fused softmax
// runs unfused on a slice: Megatron-LM's kernel takes its matrices, one for each
// head of each sequence, in fours (fused_softmax.py, is_kernel_available).
func (x *Mixer) FallsBack(s *Slice) bool {
	return s.Attention == kernel.FusedSoftmax && x.Kind == Attention && math.Mod(s.Batch*float64(x.Heads)/s.TP, 4) != 0
}
