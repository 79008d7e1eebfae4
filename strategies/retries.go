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

// retry returns the time that PyTorch's allocator takes for a micro-batch in a
// process that takes the most memory: close to capacity, what it asks for is
// cached in blocks of other sizes, so it waits for the device, gives the blocks
// back and asks again (c10/cuda/CUDACachingAllocator.cpp, release_cached_blocks).
func (r *run) retry(most unit.Bytes) unit.Seconds {
	share := float64(most / r.p.Cluster.GPU.Usable)
	return r.fit.Retry.Times(min(1, max(0, (share-crowdedFrom)/(crowdedTo-crowdedFrom))))
}
