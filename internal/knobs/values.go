package knobs

import "planner/strategies"

// divisors returns those of n in order.
func divisors(n int) (out []int) {
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}

// ranks offers the degrees that divide the cluster.
func ranks(p *strategies.Problem, _ *strategies.Layout) []int { return divisors(p.Cluster.GPUs) }

// chunks offers the virtual stages that divide the layers of a pipeline rank;
// where ranks differ, all of them, which an uneven split can still honour.
func chunks(p *strategies.Problem, l *strategies.Layout) (out []int) {
	layers := p.Model.Layers()
	for _, v := range divisors(layers) {
		if v <= layers/l.PP && (layers%l.PP != 0 || layers/l.PP%v == 0) {
			out = append(out, v)
		}
	}
	return out
}

// experts offers the degrees that divide the experts.
func experts(p *strategies.Problem, _ *strategies.Layout) []int { return divisors(p.Model.Experts()) }

// shards offers the data ranks halved: a rank fewer each is no smaller a group
// that a network would know. Down to 2, since a shard of 1 splits nothing.
func shards(_ *strategies.Problem, l *strategies.Layout) (out []int) {
	for v := l.DataRanks(); v > 1; v /= 2 {
		out = append(out, v)
		if v%2 != 0 {
			break
		}
	}
	return out
}

// batches offers powers of two, up to one that leaves no micro-batch.
func batches(p *strategies.Problem, l *strategies.Layout) (out []int) {
	for v := 1; v <= 2*max(1, p.Work.GlobalBatch/l.DP); v *= 2 {
		out = append(out, v)
	}
	return out
}
