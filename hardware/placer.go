package hardware

// Placer is a cluster's Span for a search that asks for the same groups time
// and again: it keeps the spans that take a walk over the ranks, as in NVLink
// domains of 72 that powers of two do not divide. It is not safe for concurrent
// use.
type Placer struct {
	cluster *Cluster
	walked  map[[2]int]Span // by stride and size
}

// NewPlacer returns a Placer of c, which must not change while it serves.
func NewPlacer(c *Cluster) *Placer { return &Placer{c, map[[2]int]Span{}} }

// Span is Cluster.Span.
func (p *Placer) Span(stride, size int) Span {
	if size <= 1 || p.cluster.aligned(stride, size) {
		return p.cluster.Span(stride, size)
	}
	key := [2]int{stride, size}
	s, ok := p.walked[key]
	if !ok {
		s = p.cluster.Span(stride, size)
		p.walked[key] = s
	}
	return s
}

// Runs places the groups of count runs of run neighbouring ranks, stride ranks
// apart, as of tensor and pipeline parallelism together.
func (p *Placer) Runs(run, stride, count int) Span {
	return runs(p.Span(1, run), p.Span(stride, count), p.cluster.domain(p.cluster.ScaleUp))
}

// aligned reports whether no tier's domains take a walk over the ranks.
func (c *Cluster) aligned(stride, size int) bool {
	for t := range c.Tiers {
		if domains, _, _ := aligned(stride, size, c.domain(t), c.GPUs); domains == 0 {
			return false
		}
	}
	return true
}
