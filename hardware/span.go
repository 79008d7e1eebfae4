package hardware

// Axis is one dimension of the rank grid, innermost first in a list of axes.
type Axis struct {
	Name string
	Size int
}

// Span says where the ranks of a group sit: the ranks
// r, r+stride, …, r+(size-1)·stride of the grid, for the worst-placed r.
type Span struct {
	Stride, Size int
	// Domains is the number of domains of the innermost tier (nodes, or NVLink
	// racks) that the group touches, and PerDomain the most ranks of it in one.
	Domains, PerDomain int
	// Siblings is the number of groups of the same kind with ranks in one
	// domain: they share its NICs.
	Siblings int
	// Tier is the index of the outermost tier that the group crosses.
	Tier int
}

// Span places the group of size ranks at the given stride.
//
// Ranks of one kind of group fill the whole cluster, so a domain of R ranks
// holds R/PerDomain siblings. A group whose stride or size does not divide the
// domain is placed by walking its worst member.
func (c *Cluster) Span(stride, size int) Span {
	s := Span{Stride: stride, Size: size, Domains: 1, PerDomain: size, Siblings: 1}
	ranks := c.domain(0)
	s.PerDomain, s.Domains = spread(stride, size, ranks)
	s.Siblings = max(1, min(stride, ranks/s.PerDomain))
	for s.Tier < len(c.Tiers)-1 {
		if _, n := spread(stride, size, c.domain(s.Tier)); n == 1 {
			break
		}
		s.Tier++
	}
	return s
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

// spread returns the most ranks of a group in one domain and the number of
// domains it touches, for the worst-placed group.
func spread(stride, size, domain int) (perDomain, domains int) {
	last := (size - 1) * stride
	switch {
	case size == 1:
		return 1, 1
	case domain%stride == 0 && domain%(stride*size) == 0:
		return size, 1
	case domain%stride == 0 && (stride*size)%domain == 0:
		return domain / stride, stride * size / domain
	case stride >= domain && stride%domain == 0:
		return 1, size
	}
	perDomain, domains = size, 1
	for r := 0; r < min(stride*size, domain*size, 4096); r++ {
		if r%(stride*size) >= stride {
			continue
		}
		most, touched, run, prev := 0, 0, 0, -1
		for k := r; k <= r+last; k += stride {
			if d := k / domain; d != prev {
				prev, run = d, 0
				touched++
			}
			run++
			most = max(most, run)
		}
		if touched > domains {
			perDomain, domains = most, touched
		}
	}
	return perDomain, domains
}
