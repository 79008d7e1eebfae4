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

// shards offers the divisors of the data ranks but 1, which splits nothing.
func shards(_ *strategies.Problem, l *strategies.Layout) []int { return divisors(l.DataRanks())[1:] }

// batches offers the divisors of a rank's share of the batch, and one that leaves
// no micro-batch.
func batches(p *strategies.Problem, l *strategies.Layout) []int {
	each := max(1, p.Work.GlobalBatch/l.DP)
	return append(divisors(each), 2*each)
}
