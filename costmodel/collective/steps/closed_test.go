package steps

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// terms counts what a call pays on its critical path.
type terms struct {
	latency, post float64 // messages one after another; messages on the busiest port
	sent, reduced float64 // fractions of M
}

func (t terms) price(m float64, l Link, reduce unit.Seconds) unit.Seconds {
	return l.Latency.Times(t.latency) + l.Post.Times(t.post) + l.PerByte.Times(t.sent*m) + reduce.Times(t.reduced*m)
}

// Closed returns what [Cost] returns, by formula, when every pair has the same
// link. The formulas are the classical ones (Thakur, Rabenseifner and Gropp,
// IJHPCA 19(1), 2005), with the latency of concurrent messages paid once and
// Post paid by each. They are exact where M divides into even pieces and, for
// those that halve or double (Recursive, Bruck's all-to-all, Binomial gather
// and scatter, ScatterAllGather), the ranks are a power of two. ok is false
// where there is no formula: the trees, whose port waits have no short form,
// and Hierarchical, which has [ClosedHierarchical].
func Closed(s Spec, elem unit.Bytes, l Link, reduce unit.Seconds) (t unit.Seconds, ok bool) {
	if s.Ranks == 1 {
		return 0, true
	}
	n := float64(s.Ranks)
	m := float64(s.Count) * float64(elem)
	x, ok := allReduceTerms(s.Alg, n, float64(depth(s.Ranks)))
	switch s.Op {
	case collective.ReduceScatter, collective.AllGather:
		x, ok = halfTerms(s, n, float64(depth(s.Ranks)))
	case collective.AllToAll:
		x, ok = allToAllTerms(s.Alg, n, float64(depth(s.Ranks)))
	case collective.Gather, collective.Scatter:
		x, ok = gatherTerms(s.Alg, n, float64(depth(s.Ranks)))
	case collective.Broadcast, collective.Reduce:
		x, ok = rootedTerms(s, n, float64(depth(s.Ranks)))
	case collective.Send, collective.Recv:
		x, ok = terms{1, 1, 1, 0}, s.Root != s.Dest
	}
	return x.price(m, l, reduce), ok
}

func allReduceTerms(a Algorithm, n, lg float64) (terms, bool) {
	part := (n - 1) / n
	switch a {
	case Naive: // the root takes n-1 messages, then sends n-1
		return terms{2, 2 * (n - 1), 2 * (n - 1), n - 1}, true
	case Ring:
		return terms{2 * (n - 1), 2 * (n - 1), 2 * part, part}, true
	case Recursive:
		return terms{2 * lg, 2 * lg, 2 * part, part}, true
	case OneShot:
		return terms{1, n - 1, n - 1, n - 1}, true
	case TwoShot:
		return terms{2, 2 * (n - 1), 2 * part, part}, true
	}
	return terms{}, false
}

func halfTerms(s Spec, n, lg float64) (terms, bool) {
	x := terms{lg, lg, (n - 1) / n, 0} // Recursive, Bruck
	switch s.Alg {
	case Ring:
		x.latency, x.post = n-1, n-1
	case Direct:
		x.latency, x.post = 1, n-1
	}
	if s.Op == collective.ReduceScatter {
		x.reduced = x.sent
	}
	return x, true
}

func allToAllTerms(a Algorithm, n, lg float64) (terms, bool) {
	switch a {
	case Direct:
		return terms{1, n - 1, (n - 1) / n, 0}, true
	case Pairwise:
		return terms{n - 1, n - 1, (n - 1) / n, 0}, true
	}
	return terms{lg, lg, lg / 2, 0}, true
}

func gatherTerms(a Algorithm, n, lg float64) (terms, bool) {
	if a == Direct {
		return terms{1, n - 1, (n - 1) / n, 0}, true
	}
	return terms{lg, lg, (n - 1) / n, 0}, true
}

func rootedTerms(s Spec, n, lg float64) (x terms, ok bool) {
	part := (n - 1) / n
	switch s.Alg {
	case Flat, Direct:
		x = terms{1, n - 1, n - 1, 0}
	case Binomial:
		x = terms{lg, lg, lg, 0}
	case Chain:
		q := float64(pieces(s.Count, s.Chunk))
		x = terms{n - 2 + q, n - 2 + q, (n - 2 + q) / q, 0}
	case ScatterAllGather:
		x = terms{lg + n - 1, lg + n - 1, 2 * part, 0}
	}
	if s.Op == collective.Reduce {
		x.reduced = x.sent
	}
	return x, true
}

// ClosedHierarchical is [Closed] for the Hierarchical AllReduce in one piece,
// with link in inside a node and out between nodes. It is exact where M
// divides by Ranks.
func ClosedHierarchical(s Spec, elem unit.Bytes, in, out Link, reduce unit.Seconds) unit.Seconds {
	g, k := float64(s.Node), float64(s.Ranks/s.Node)
	m := float64(s.Count) * float64(elem)
	inner := terms{2 * (g - 1), 2 * (g - 1), 2 * (g - 1) / g, (g - 1) / g}
	outer := terms{2 * (k - 1), 2 * (k - 1), 2 * (k - 1) / k, (k - 1) / k}
	return inner.price(m, in, reduce) + outer.price(m/g, out, reduce)
}
