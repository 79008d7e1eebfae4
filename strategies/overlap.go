package strategies

import "slices"

// GradsOverlap reports whether the gradient calls of a ZeRO stage run beside the
// backward pass.
func (f *Profile) GradsOverlap(zero int) bool {
	return f.Comm.Overlapped && !slices.Contains(f.Comm.LateGrads, zero)
}

// gathersOverlap reports whether the gather of updated parameters runs beside
// the next forward pass.
func (f *Profile) gathersOverlap() bool { return f.Comm.Overlapped && !f.Comm.LateGather }

// SumsEveryBatch reports whether l's gradients are summed after each micro-batch.
func (f *Profile) SumsEveryBatch(l *Layout) bool {
	every := f.Comm.GradEvery[l.Zero]
	return every == "micro-batch" || every == "micro-batch but in a pipeline" && l.PP == 1
}
