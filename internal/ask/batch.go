package ask

import "planner/strategies"

// defaultBatch returns the global batch when none is given: for a power of two
// of GPUs strategies.DefaultBatch; for another number the GPUs times or over a
// power of two, by the same bounds. Their odd part stays a factor, for TP, CP
// and mostly PP take none of it: 6144 GPUs have DP degrees that are multiples
// of 3. Where it alone is above most tokens it is the batch if it makes at most
// four times as many; else the batch is the largest divisor of the GPUs below
// them, unless that is too few (a prime number of GPUs): then the GPUs.
func defaultBatch(seq, gpus int) int {
	if gpus&(gpus-1) == 0 {
		return strategies.DefaultBatch(seq, gpus)
	}
	const least, most = strategies.LeastTokens, strategies.MostTokens
	batch := gpus
	for batch*seq < least {
		batch *= 2
	}
	for batch*seq > most && batch%2 == 0 {
		batch /= 2
	}
	if batch*seq <= most || batch < gpus && batch*seq <= 4*most {
		return batch
	}
	if d := largestDivisor(gpus, max(1, most/seq)); d*seq >= least {
		return d
	}
	return gpus
}

// largestDivisor returns the largest divisor of n that is at most limit.
func largestDivisor(n, limit int) int {
	for d := min(n, limit); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// EvenBatch returns the global batch nearest to the asked one that every
// data-parallel degree of the cluster divides: a multiple of the GPUs.
func EvenBatch(a *Answer) int {
	n := a.Problem.Cluster.GPUs
	return max(1, (a.GlobalBatch+n/2)/n) * n
}
