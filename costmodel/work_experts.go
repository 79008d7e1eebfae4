package costmodel

// experts adds the router, the grouped products of the local experts, and the
// permutation of tokens before and after them.
func (w *worker) experts(f *FFN, up float64) {
	io := w.h
	w.out.Last = 0 // what the experts return is permuted back
	rows := w.t / w.s.TP
	w.linear(rows, float64(f.Experts), w.h)
	if f.Latent > 0 {
		io = float64(f.Latent)
		w.linear(rows, io, w.h)
		w.linear(rows, w.h, io)
	}
	local := max(1, float64(f.Experts)/w.s.EP)
	routed := w.s.Routed(f.TopK)
	width := float64(f.ExpertWidth) / w.s.ETP
	w.grouped(local, routed/local, up*width, io)
	w.grouped(local, routed/local, io, width)
	w.stream((up+1)*routed*width*half, (2*up+1)*routed*width*half)
	w.permute(routed*io, local)
	if f.ExpertBias {
		w.stream(expertBiasFwd*routed*io, expertBiasBwd*routed*io)
	}
}

// permute adds the reordering of n elements by expert before their products and
// back after them, each a read and a write. The AllToAll dispatcher orders them
// by destination first, and again among the experts of a rank
// (Megatron-LM token_dispatcher.py, sort_chunks_by_idxs).
func (w *worker) permute(n, local float64) {
	moves := 4.0
	if w.s.Resort && local > 1 {
		moves = 8
	}
	w.stream(moves*n*half, moves*n*half)
}

// Bytes of an element of the experts' result that adding their bias moves
// (Megatron-LM experts.py, _apply_bias: expert by expert, each bias times the
// token's probability, which is in 32 bits): forward the product 4, the sum 10,
// the concatenation 8 and the cast 6; backward the casts 12, the gradients of
// the probability and of the bias 12 each, and the concatenation 4.
const (
	expertBiasFwd = 28
	expertBiasBwd = 40
)

func (w *worker) grouped(groups, m, n, k float64) {
	g := int(groups)
	w.products(g, m, n, k, w.d.Grouped(g, m, n, k), w.d.Grouped(g, m, k, n), w.d.Grouped(g, n, k, m))
	if w.list != nil {
		w.listProducts(g, m, n, k, 0)
	}
}
