package ask_test

import (
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// TestDefaultBatchOfAnyGPUs holds the batch chosen for GPUs that are no power
// of two: the GPUs times or over a power of two where that makes 4 to 16 Mi
// tokens, else the largest divisor of the GPUs that does, where a layout does.
func TestDefaultBatchOfAnyGPUs(t *testing.T) {
	for _, tt := range []struct{ gpus, seq, batch int }{
		{500, 8192, 1000}, // 500 × 8192 is short of 4 Mi
		{24, 8192, 768},   // 24 × 2⁵
		{96, 8192, 768},
		{1000, 8192, 1000},
		{1536, 8192, 1536},
		{3000, 8192, 1500},   // 3000 × 8192 is over 16 Mi
		{6144, 8192, 1536},   // 3 × 2¹¹: no layout of 70b has three stages
		{100000, 8192, 3125}, // 5⁵ × 2⁵: 25.6 M tokens
		{49152, 8192, 1536},  // 3 × 2¹⁴
		{1000, 131072, 125},
		{1001, 131072, 1001},  // 7 × 11 × 13: no degree takes any, so 91 would leave no layout
		{3001, 8192, 3001},    // a prime
		{1 << 16, 8192, 2048}, // a power of two: DESIGN.md's rule
		{64, 131072, 64},
	} {
		a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: tt.gpus, SeqLen: tt.seq})
		if err != nil {
			t.Fatal(err)
		}
		if a.GlobalBatch != tt.batch {
			t.Errorf("%d GPUs at %d tokens: batch %d, want %d", tt.gpus, tt.seq, a.GlobalBatch, tt.batch)
		}
	}
}

// TestDefaultBatchOfFewDegrees: 10⁶ GPUs are 2⁶·5⁶, of which TP and CP take twos,
// and PP of 80 layers a five; a layout of FSDP alone has a rank a GPU.
func TestDefaultBatchOfFewDegrees(t *testing.T) {
	for _, tt := range []struct {
		model, framework string
		gpus, batch      int
	}{{"llama3.1-70b", "any", 1_000_000, 3125}, {"llama3.1-70b", "any", 500_000, 3125}, {"llama3.1-8b", "any", 65537, 65537},
		{"llama3.1-70b", "fsdp", 4096, 4096}, {"llama3.1-70b", "fsdp", 2048, 2048}, {"llama3.1-70b", "megatron", 1 << 20, 2048}} {
		_, r := search(t, ask.Question{Model: tt.model, Framework: tt.framework, GPUs: tt.gpus}, ask.Constraints{})
		a, err := ask.Ask(ask.Question{Model: tt.model, Framework: tt.framework, GPUs: tt.gpus})
		if err != nil || a.GlobalBatch != tt.batch || r.Legal == 0 {
			t.Errorf("%+v: batch %d, %d legal layouts, %v", tt, a.GlobalBatch, r.Legal, err)
		}
	}
}

// TestDefaultBatchIsLegal holds that the defaults leave layouts to search.
func TestDefaultBatchIsLegal(t *testing.T) {
	for _, gpus := range []int{7, 24, 96, 100, 500, 1000, 3000, 4608, 6144} {
		_, r := search(t, ask.Question{Model: "llama3.1-70b", GPUs: gpus}, ask.Constraints{})
		if r.Legal == 0 || r.Rejected[strategies.RuleBatch] > r.Legal {
			t.Errorf("%d GPUs: %d legal layouts, refused %v", gpus, r.Legal, r.Rejected)
		}
	}
}
