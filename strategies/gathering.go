package strategies

// gathering returns the shares of the micro-batches whose forward and backward
// passes gather layers on a pipeline rank: all of them without a pipeline.
// Under one a backward pass leaves the layers gathered (see zero3), so that a
// pass gathers only where the one before it on the rank was a forward pass or
// none: with w forward passes before the first backward one that is w + 1 and
// m − w of m, those of the warm-up and the next, and every backward pass but
// those of the drain. Interleaved chunks pass p micro-batches at a time, of which
// only the first finds what a backward pass left: they count as gathering all.
func (r *run) gathering(rank int) (fwd, bwd float64) {
	if !GathersBetween(r.l, r.prof) || r.p.Work.Forward {
		return 1, 1
	}
	w := inFlight(r.l, rank, r.m) - 1
	return (w + 1) / r.m, (r.m - w) / r.m
}

// GathersBetween reports whether a pass of a layout gathers layers only where
// no backward pass has left them gathered.
func GathersBetween(l *Layout, prof *Profile) bool {
	return l.PP > 1 && l.VPP == 1 && l.Zero == 3 && prof.Comm.Reshard
}
