package strategies_test

import "testing"

// A product of M rows does M operations for each byte of a 16-bit weight: below
// the H100's 989 TFLOP/s over 3.35 TB/s, some 295, it waits for memory
// (Williams, Waterman, Patterson 2009, the roofline). Long sequences compute.
func TestBoundByMemoryBandwidth(t *testing.T) {
	for tokens, want := range map[int]string{16: "memory-bandwidth", 64: "memory-bandwidth", 8192: "compute"} {
		q := question("llama3.1-8b", "h100-sxm-80gb", "megatron", 1, 1, tokens)
		q.Pass = "forward"
		_, e := estimateOf(t, q, "dp=1,mbs=1")
		if got := e.Bound(); got != want {
			t.Errorf("%d tokens: %s, want %s (%.4f of %.4f s streamed)", tokens, got, want, e.Streamed, e.Compute)
		}
		if e.Streamed > e.Compute {
			t.Errorf("%d tokens: %v of %v streamed", tokens, e.Streamed, e.Compute)
		}
	}
}
