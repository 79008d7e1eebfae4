package costmodel

import "planner/costmodel/kernel"

// Slice says which part of a layer one rank computes for one micro-batch. The
// degrees are plain counts: what issues them is not known here.
type Slice struct {
	Batch float64 // sequences of the micro-batch
	Seq   float64 // tokens of a whole sequence
	CP    float64 // ranks that share a sequence

	TP      float64 // ranks that share the matrices
	SP      bool    // norms and residuals are split over TP as well
	EP, ETP float64 // ranks that share the experts, and one expert
	// Imbalance is the load of the busiest expert rank over the mean, at
	// least 1.
	Imbalance float64
	// Repeated says that the ranks of TP send the same tokens to the experts,
	// rather than a part each.
	Repeated bool
	// Resort says that tokens are put in the order of the experts of a rank in a
	// pass of its own after they have arrived.
	Resort bool

	Attention kernel.AttentionKernel
	// Input is the bytes an element of a product's input takes until the weight
	// gradient: 1 where the product runs in 8 bits, which keeps the quantised
	// copy (Transformer Engine); 0: 2.
	Input float64
	// Element is the bytes of an element of what kernels pass on; 0: 2.
	Element float64
	// Ulysses says that context parallelism moves heads by all-to-all.
	Ulysses bool
	// PlainGLU says that the activation of a gated MLP and its product are two
	// kernels, so that the activation is kept too.
	PlainGLU bool
	// Pointwise multiplies the traffic of norms and residuals: 1 where they
	// are fused, more where each elementwise step is a kernel of its own.
	Pointwise float64
	// Norm multiplies the traffic of norms once more where they are not one
	// kernel; 0: 1.
	Norm float64
	// Misaligned multiplies the time of materialised attention whose head
	// dimension is not a multiple of 8 elements; 0: 1.
	Misaligned float64
}

// Tokens returns the tokens of a micro-batch on one rank, T = b·s/c.
func (s *Slice) Tokens() float64 { return s.Batch * s.Seq / s.CP }

// Rows returns the tokens whose norms and residuals one rank computes.
func (s *Slice) Rows() float64 {
	if s.SP {
		return s.Tokens() / s.TP
	}
	return s.Tokens()
}

// Routed returns the token copies that a rank's experts process, for topK
// copies of each token: tokens are split over TP before they are dispatched,
// unless each rank has all of them, and gathered again over ETP.
func (s *Slice) Routed(topK int) float64 {
	split := s.TP
	if s.Repeated {
		split = 1
	}
	return s.Tokens() / split * s.ETP * float64(topK) * s.Imbalance
}

// wide returns the bytes of an element over those of 16 bits.
func (s *Slice) wide() float64 {
	if s.Element == 0 {
		return 1
	}
	return s.Element / half
}

// input returns the bytes of an element of a saved product input.
func (s *Slice) input() float64 {
	if s.Input == 0 {
		return half
	}
	return s.Input
}

// lowCopy returns the bytes of an element that is saved quantised beside its
// 16-bit original, as the output of the attention core is.
func (s *Slice) lowCopy() float64 {
	if s.Input == 0 {
		return 0
	}
	return s.Input
}
