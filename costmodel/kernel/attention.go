package kernel

import (
	"math"

	"planner/hardware/unit"
)

// AttentionKernel is an implementation of scaled dot-product attention.
type AttentionKernel uint8

// The kernels that training frameworks ship. Usual is what a framework of
// the day picks on the part.
const (
	Usual        AttentionKernel = iota
	Flash1                       // FlashAttention 1, xformers
	Flash2                       // FlashAttention 2
	Flash3                       // FlashAttention 3 (Hopper)
	Flash4                       // FlashAttention 4 (Blackwell)
	Triton                       // FlashAttention 1 in Triton, of 2022
	TE                           // Transformer Engine's cuDNN fused attention
	SDPA                         // PyTorch scaled_dot_product_attention
	FusedSoftmax                 // batched products around a fused scale-mask-softmax
	Unfused                      // batched products and separate softmax, mask, dropout
	NumAttentionKernels
)

var attentionNames = [NumAttentionKernels]string{
	"usual", "flash1", "flash2", "flash3", "flash4", "triton", "te", "sdpa", "fused-softmax", "unfused",
}

// String returns the spelling used in files.
func (k AttentionKernel) String() string { return attentionNames[k] }

// ParseAttentionKernel reads the spelling that String writes.
func ParseAttentionKernel(s string) (AttentionKernel, bool) {
	for i, n := range attentionNames {
		if n == s {
			return AttentionKernel(i), true
		}
	}
	return 0, false
}

// Fused reports whether the kernel keeps scores out of memory.
func (k AttentionKernel) Fused() bool { return k != FusedSoftmax && k != Unfused }

// AttentionSpec is the attention core of one layer on one rank. Multi-head
// latent attention is DimQK 192, DimV 128 and KVHeads = Heads in training
// (DeepSeek-V3), as the compressed keys and values are expanded first.
type AttentionSpec struct {
	Batch          float64 // sequences
	Heads, KVHeads float64 // of this rank, after tensor parallelism
	SeqQ, SeqK     float64 // tokens; SeqQ < SeqK under context parallelism
	DimQK, DimV    float64 // elements per head
	Causal         bool
	Window         int // sliding window in tokens, 0: none
	Kernel         AttentionKernel
}

// Pairs returns the query-key pairs of one head and sequence that the mask
// leaves. A causal mask lets query i of SeqQ see the last SeqK-SeqQ+i keys; a
// window cuts that to Window.
func (s *AttentionSpec) Pairs() float64 {
	q, k, w := s.SeqQ, s.SeqK, float64(s.Window)
	if !s.Causal {
		if w > 0 {
			k = math.Min(k, w)
		}
		return q * k
	}
	past := math.Max(0, k-q)
	n := math.Min(q, k)
	if w <= 0 || w >= k {
		return n*past + n*(n+1)/2
	}
	rising := math.Min(n, math.Max(0, w-past)) // queries that see fewer than w keys
	return rising*past + rising*(rising+1)/2 + (n-rising)*w
}

// FLOPs returns the forward operations on the pairs that the mask leaves:
// 2·batch·heads·pairs·(DimQK + DimV). The backward pass takes 2.5 times as
// many in a fused kernel, which forms the scores again (five products for
// two), and twice as many otherwise.
func (s *AttentionSpec) FLOPs() unit.FLOPs {
	return unit.FLOPs(2 * s.Batch * s.Heads * s.Pairs() * (s.DimQK + s.DimV))
}

// Attention returns the time of the attention core, forward and backward.
func (d *Device) Attention(s AttentionSpec) (fwd, bwd unit.Seconds) {
	if s.Batch*s.Heads*s.SeqQ*s.SeqK <= 0 {
		return 0, 0
	}
	if !s.Kernel.Fused() {
		return d.materialised(&s)
	}
	return d.fused(&s)
}

// flashBlock is the number of queries of one thread block of fused kernels.
const flashBlock = 128

// fused prices a flash kernel: FLOPs over its share of the peak, the share
// less at short sequences, head dimensions off the kernel's tiles and grids
// that leave multiprocessors idle.
func (d *Device) fused(s *AttentionSpec) (fwd, bwd unit.Seconds) {
	f := &d.flash[s.Kernel]
	flops := float64(s.FLOPs())
	keys := s.Pairs() / s.SeqQ
	shape := f.dim(s.DimQK, s.DimV) * keys / (keys + f.HalfKeys)
	blocks := s.Batch * s.Heads * math.Ceil(s.SeqQ/flashBlock) / d.sms
	shape *= blocks / wholeWaves(blocks, f.Tail)
	move := s.traffic() / d.bandwidth
	fwd = unit.Seconds(d.launch + norm4(flops/(f.Fwd*shape), move))
	bwd = unit.Seconds(2*d.launch + norm4(2.5*flops/(f.Bwd*shape), 2*move))
	return fwd, bwd
}

// traffic returns the bytes of Q, K, V and O at 16 bits.
func (s *AttentionSpec) traffic() float64 {
	q := s.Heads * s.SeqQ * (s.DimQK + s.DimV)
	kv := s.KVHeads * s.SeqK * (s.DimQK + s.DimV)
	return 2 * s.Batch * (q + kv)
}

// dim returns the rate at head dimensions qk and v over that at 128: the
// measured rate of the kernel's size, less the padding up to it.
func (f *Flash) dim(qk, v float64) float64 {
	pad := (qk + v) / (64*math.Ceil(qk/64) + 64*math.Ceil(v/64))
	switch {
	case qk <= 64:
		return pad * f.Dim64
	case qk <= 128:
		return pad
	case qk <= 192:
		return pad * f.Dim192
	}
	return pad * f.Dim256
}
