package strategies

// gathering returns the shares of the micro-batches whose forward and backward
// passes gather layers on a pipeline rank: all of them without a pipeline.
// Under one a backward pass leaves the layers gathered (see zero3), so that a
// pass gathers only where the one before it on the rank was a forward pass or
// none: with w forward passes before the first backward one that is w + 1 and
// m − w of m, those of the warm-up and the next, and every backward pass but
// those of the drain.
func (r *run) gathering(rank int) (fwd, bwd float64) {
	if r.l.PP == 1 || r.l.Zero < 3 || r.p.Work.Forward || !r.prof.Comm.Reshard {
		return 1, 1
	}
	w := inFlight(r.l, rank, r.m) - 1/float64(r.l.VPP)
	return (w + 1) / r.m, (r.m - w) / r.m
}
