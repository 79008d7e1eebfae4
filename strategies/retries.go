package strategies

import "planner/hardware/unit"

// Of what a process may use, the shares at which the first and the last layout
// is expected to run out of cached blocks. Of nanotron's runs (presets/runs) the
// 40 that took 64 to 70 GiB of 79 are as fast as others, the 17 that took more
// 3 to 12 times as long.
const (
	crowdedFrom = 0.92
	crowdedTo   = 0.94
)

// crowded returns how far a process that takes the most memory is beyond the
// point from which its allocator retries, 0 to 1.
func (p *Problem) crowded(most unit.Bytes) float64 {
	share := float64(most / p.Cluster.GPU.Usable)
	return min(1, max(0, (share-crowdedFrom)/(crowdedTo-crowdedFrom)))
}

// retries adds the time that PyTorch's allocator takes close to capacity: what a
// micro-batch asks for is cached in blocks of other sizes, so it waits for the
// device, gives the blocks back and asks again (c10/cuda/CUDACachingAllocator.cpp,
// release_cached_blocks).
func (r *run) retries(e *Estimate, most unit.Bytes) {
	e.Retries = r.fit.Retry.Times(r.m * r.p.crowded(most))
	e.Step += e.Retries
	e.Overhead += e.Retries
}
