package hardware

// Span says where the ranks of one kind of group sit: the ranks
// r, r+stride, …, r+(size−1)·stride of the grid, for the worst-placed r.
//
// A domain is one of the scale-up tier (a node, or an NVLink rack): what
// ranks reach without a NIC.
type Span struct {
	Stride, Size int
	// Domains is the number of domains that the worst-placed group touches,
	// and PerDomain the most ranks of it in one. The worst-placed group is the
	// one of most Domains, and among those of most PerDomain.
	Domains, PerDomain int
	// Siblings is the most groups of the kind that have ranks in one domain
	// and leave it: they share its NICs. 1 where no group leaves its domain.
	Siblings int
	// Tier is the index of the outermost tier that some group crosses.
	Tier int
}

// Span places the groups of size ranks at the given stride. The groups tile
// the ranks: group by group, stride groups side by side in each run of
// stride·size ranks; what does not fit whole into the cluster is no group. So
// the group of first and last pipeline stage is (pp−1)·inner, 2.
//
// It does not allocate. Where strides and sizes divide the domain, or the
// domain them, it takes constant time, else at most time linear in GPUs.
func (c *Cluster) Span(stride, size int) Span {
	s := Span{Stride: stride, Size: size, Domains: 1, PerDomain: 1, Siblings: 1}
	if size <= 1 {
		return s
	}
	s.Domains, s.PerDomain, s.Siblings = place(stride, size, c.domain(c.ScaleUp), c.GPUs)
	for s.Tier < len(c.Tiers)-1 && c.crosses(&s) {
		s.Tier++
	}
	return s
}

func runs(one, across Span, domain int) Span {
	switch {
	case across.Size <= 1:
		return one
	case one.Size <= 1:
		return across
	}
	s := Span{Stride: 1, Size: one.Size * across.Size, Domains: across.Domains * one.Domains, PerDomain: one.PerDomain,
		Siblings: max(1, across.Siblings/one.Size), Tier: max(one.Tier, across.Tier)}
	if across.Stride < domain {
		s.PerDomain *= across.PerDomain
	}
	return s
}

// Hop places the pairs of a pipeline boundary, whose stages are stride ranks
// each: rank j of stage from and rank j of stage to. Siblings is the most of
// its pairs that leave one domain; those of other boundaries are not counted.
func (c *Cluster) Hop(stride, from, to int) Span {
	if from > to {
		from, to = to, from
	}
	s := Span{Stride: stride * (to - from), Size: 2, Domains: 1, PerDomain: 2, Siblings: 1}
	if d := c.domain(c.ScaleUp); c.between(stride, from, to, d) {
		s.Domains, s.PerDomain, s.Siblings = 2, 1, leavers(stride, from, to, d)
	}
	for s.Tier < len(c.Tiers)-1 && c.between(stride, from, to, c.domain(s.Tier)) {
		s.Tier++
	}
	return s
}

// Alike reports whether every boundary of a pipeline whose stages are stride
// ranks each is placed alike: no tier's domains hold several stages, and not
// all.
func (c *Cluster) Alike(stride int) bool {
	for t := range c.Tiers {
		if d := c.domain(t); d > stride && d < c.GPUs {
			return false
		}
	}
	return true
}

// between reports whether some pair of a boundary sits in two domains: a
// multiple of domain lies above the first source and not above the last target.
func (c *Cluster) between(stride, from, to, domain int) bool {
	return from*stride/domain != ((to+1)*stride-1)/domain
}

// leavers returns the most pairs of a boundary that start in one domain and end
// in another.
func leavers(stride, from, to, domain int) (most int) {
	first, apart := from*stride, (to-from)*stride
	if apart >= domain && (stride >= 2*domain || stride >= domain && first%domain == 0) {
		return domain // one domain is all of stage from
	}
	for low := first / domain * domain; low < first+stride; low += domain {
		start, end := max(first, low, low+domain-apart), min(first+stride, low+domain)
		most = max(most, end-start)
	}
	return most
}

// crosses reports whether some group leaves its domain of tier s.Tier.
func (c *Cluster) crosses(s *Span) bool {
	if s.Tier == c.ScaleUp {
		return s.Domains > 1
	}
	domains, _, _ := place(s.Stride, s.Size, c.domain(s.Tier), c.GPUs)
	return domains > 1
}

// domain returns the ranks in one domain of tier t; a cluster smaller than
// one domain is one domain.
func (c *Cluster) domain(t int) int {
	n := c.Tiers[t].Ranks
	if n == 0 || n > c.GPUs {
		return c.GPUs
	}
	return n
}

// place returns Span's Domains, PerDomain and Siblings for any domain size.
func place(stride, size, domain, gpus int) (domains, perDomain, siblings int) {
	if domains, perDomain, siblings = aligned(stride, size, domain, gpus); domains > 0 {
		return domains, perDomain, siblings
	}
	return scan(stride, size, domain, gpus)
}

// aligned is place where groups and domains divide each other, and 0 domains
// elsewhere.
//
// With last = (size−1)·stride, a group at base b touches the domains of
// b … b+last: all of them if stride < domain, one per rank otherwise.
func aligned(stride, size, domain, gpus int) (domains, perDomain, siblings int) {
	tile, last := stride*size, (size-1)*stride
	tiled := gpus%tile == 0
	switch {
	case domain >= gpus, tiled && domain%tile == 0:
		return 1, size, 1
	case tiled && stride >= domain:
		// Each rank of a domain belongs to a group of its own.
		return size, 1, domain
	case tiled && tile%domain == 0:
		// Domains are whole parts of a tile, each with ranks of all its groups.
		return tile / domain, (domain + stride - 1) / stride, stride
	case tile > gpus && stride >= domain:
		if n := endsInDomain(stride, gpus-last, domain); n > 0 {
			return size, 1, n
		}
	}
	return 0, 0, 0
}

// endsInDomain returns how many of the groups with base < width have a rank in
// one domain, given stride ≥ domain, or 0 where the two do not align.
func endsInDomain(stride, width, domain int) int {
	switch {
	case width > 0 && width%domain == 0 && stride%domain == 0:
		return domain
	case width > 0 && domain%width == 0 && stride%width == 0:
		return width
	}
	return 0
}

// scan is place by walking every rank of one period of groups and domains.
func scan(stride, size, domain, gpus int) (domains, perDomain, siblings int) {
	tile, last := stride*size, (size-1)*stride
	domains, siblings = 1, 1
	leaving := 0 // groups seen in this domain that leave it
	for r := range min(gpus, tile/gcd(tile, domain)*domain) {
		if r%domain == 0 {
			leaving = 0
		}
		base := r - r%tile + r%stride
		if base+last >= gpus {
			continue
		}
		if r == base {
			n, most := walk(base, stride, size, domain)
			if n > domains || n == domains && most > perDomain {
				domains, perDomain = n, most
			}
		}
		first := r == base || (r-stride)/domain != r/domain
		if first && base/domain != (base+last)/domain {
			leaving++
			siblings = max(siblings, leaving)
		}
	}
	return domains, max(1, perDomain), siblings
}

// walk returns the domains that the group at base touches and the most of its
// ranks in one.
func walk(base, stride, size, domain int) (domains, most int) {
	if stride >= domain {
		return size, 1
	}
	end := base + size*stride
	for r := base; r < end; domains++ {
		next := (r/domain + 1) * domain
		n := (min(next, end) - r + stride - 1) / stride
		most = max(most, n)
		r += n * stride
	}
	return domains, most
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
