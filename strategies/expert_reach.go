package strategies

import (
	"planner/costmodel"
)

// destinations returns how many of ranks, which split the experts alike, hold one
// of a token's: ranks times the chance that one does. The router draws top k of E
// experts, or of those in top g of G groups (DeepSeek-V3, arXiv 2412.19437,
// section 2.1.2), every choice as likely.
func destinations(f *costmodel.FFN, ranks int) float64 {
	held := float64(f.Experts) / float64(ranks)
	groups, open := f.Groups, f.Experts
	if groups > 1 {
		open = f.Experts / groups * f.TopGroups
	}
	switch {
	case groups < 2 || groups%ranks != 0 && ranks%groups != 0:
		return float64(ranks) * (1 - missed(f.Experts, f.TopK, held))
	case ranks >= groups: // a rank holds a part of one group
		return float64(ranks) * float64(f.TopGroups) / float64(groups) * (1 - missed(open, f.TopK, held))
	}
	hit, on := 0.0, groups/ranks // groups of a rank
	for n := range on + 1 {
		hit += drawn(groups, f.TopGroups, on, n) * (1 - missed(open, f.TopK, float64(n*f.Experts/groups)))
	}
	return float64(ranks) * hit
}

// missed returns the chance that k different draws of n avoid held of them:
// C(n − held, k) / C(n, k).
func missed(n, k int, held float64) float64 {
	miss := 1.0
	for i := range k {
		miss *= max(0, float64(n-i)-held) / float64(n-i)
	}
	return miss
}

// drawn returns the chance that of k different draws of n exactly hits are among
// some number of them: the hypergeometric distribution.
func drawn(n, k, among, hits int) float64 {
	return choose(among, hits) * choose(n-among, k-hits) / choose(n, k)
}

func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}
