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
