package strategies

import (
	"cmp"
	"slices"
)

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

// waitedShare returns the share that stays exposed of calls on whole gradients
// and parameters: the fitted one, or where nothing was fitted and the framework
// waits for them all of it. Stage 3 gathers and scatters beside other layers
// under every framework.
func (r *run) waitedShare() float64 {
	phi := r.fit.DPExposed
	if r.prof.Comm.Overlapped || r.l.Zero == 3 {
		return phi
	}
	return cmp.Or(phi, 1)
}
