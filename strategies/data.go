package strategies

import "planner/costmodel/collective"

// Data parallelism reduces the gradients of every rank that holds the same
// parameters, once a step, in buckets that start as the last backward pass
// fills them (Li et al. 2020, section 3.2). Megatron buckets max(40e6, 1e6·dp)
// parameters, context parallelism not counted, on the first pipeline stage only
// (distributed_data_parallel.py:131-171 at d98e8a6).

func (s *site) dataParallel(t *stateTally, g *group, first bool) {
	s.gradients(t, g, collective.AllReduce, first, "gradients")
}

// gradients issues the gradient calls of a group, bucket by bucket: every step
// or every micro-batch as the framework does at this stage.
func (s *site) gradients(t *stateTally, g *group, op collective.Op, first bool, what string) {
	class := classGrad
	if s.prof.SumsEveryBatch(&s.l) {
		class = classMicro
	}
	d := s.gradType()
	span := g.all
	if op == collective.ReduceScatter {
		span = g.shard
	}
	c := collective.Call{Op: op, Phase: collective.Backward, Dims: g.dims, Axis: collective.AxisDP, Span: span, DType: d}
	if s.prof.GradsOverlap(s.l.Zero) {
		c.Overlaps = "backward pass"
	}
	for _, k := range s.chunks(g, first) {
		n := k.params * s.p.Work.Trained()
		if b := float64(s.prof.Comm.FirstBucket); s.l.Zero == 0 && b > 0 && b < n {
			s.inBuckets(t, c, b, b, k.times, t.label(t.label(g.what, what), ", first bucket"), class)
			n -= b
		}
		s.inBuckets(t, c, n, s.bucket(n, first && k.first), k.times, t.label(g.what, what), class)
	}
}

// chunk is one model chunk of a rank, or several equal ones.
type chunk struct {
	params float64 // elements
	times  float64
	first  bool // the first chunk of the rank, which holds the embedding
}

// chunks returns the model chunks of a rank as far as they differ: each has a
// v-th of the layers, the first or the last holds the embedding or the head,
// and the first of the first stage is cut into buckets.
func (s *site) chunks(g *group, first bool) [2]chunk {
	v := float64(s.l.VPP)
	layers := (g.params - g.root) / v
	switch {
	case s.l.PP == 1 || s.l.VPP == 1:
		return [2]chunk{{g.params, 1, true}}
	case g.root == 0 && !first:
		return [2]chunk{{layers, v, false}}
	}
	return [2]chunk{{layers + g.root, 1, true}, {layers, v - 1, false}}
}

// bucket returns the elements of one gradient call out of a chunk of n, experts'
// or not.
func (s *site) bucket(n float64, first bool) float64 {
	c := &s.prof.Comm
	if c.Bucket == 0 || c.FirstStageBuckets && s.l.PP > 1 && !first {
		return n
	}
	return min(n, float64(max(c.Bucket, c.BucketPerDP*s.l.DP)))
}

// inBuckets issues times × (whole buckets and the partial last one).
func (s *site) inBuckets(t *stateTally, c collective.Call, n, size, times float64, what string, class stateClass) {
	if n <= 0 || times == 0 {
		return
	}
	whole := float64(int(n/size + 1e-9))
	rest := n - whole*size
	c.Purpose, c.Bytes, c.Count = what, bytesOf(size, c.DType), whole*times
	t.add(c, class)
	if rest >= 1 {
		c.Purpose, c.Bytes, c.Count = t.label(what, ", last bucket"), bytesOf(rest, c.DType), times
		t.add(c, class)
	}
}
