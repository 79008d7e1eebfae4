package strategies

// wholeETP returns the ETP of a framework that splits experts over EP or, where
// that is 1, over TP.
func wholeETP(l *Layout) int {
	if l.EP > 1 {
		return 1
	}
	return l.TP
}

// expertRanks returns the ranks among which experts are dealt out: those of one
// copy of the split state, shard·tp (Megatron-LM parallel_state.py: the replicas
// of an expert divide by the instances of the distributed optimizer; torchtitan
// distributed/parallel_dims.py: EFSDP·EP = shard·CP·TP, its shard without the
// cp ranks). Without a split state every rank of the fold is of one copy, but
// where experts are whole every replica holds its own.
func expertRanks(l *Layout, can *Capabilities) int {
	if l.Zero == 0 && can.WholeExperts {
		return l.CP * l.TP
	}
	return l.Shard * l.TP
}

// expertAxes names the degrees of which expertRanks is the product.
func expertAxes(l *Layout) string {
	if l.Zero == 0 {
		return "cp·tp"
	}
	return "shard·tp"
}

// offerExpertRanks offers larger copies of the state, or fewer ranks of experts.
func (p *Problem) offerExpertRanks(l *Layout, can *Capabilities) []string {
	fold, experts, data := l.EP*l.ETP, p.Model.Experts(), l.DataRanks()
	if l.Zero == 0 {
		return append(uses("zero=", can.splitting()...), uses("ep=", below(l.EP, func(n int) bool { return experts%n == 0 && expertRanks(l, can)%(n*l.ETP) == 0 }))...)
	}
	offers := uses("shard=", nearest2(l.Shard, func(n int) bool { return n > 1 && data%n == 0 && n*l.TP%fold == 0 })...)
	return append(offers, uses("ep=", nearest2(l.EP, func(n int) bool { return n < l.EP && experts%n == 0 && l.Shard*l.TP%(n*l.ETP) == 0 })...)...)
}
