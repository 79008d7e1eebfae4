package show

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"planner/internal/ask"
)

// At 131,072 tokens the scores of attention take 12·L·d·s FLOPs a token of
// Llama-3.1-70B (L = 80, d = 64·128; Narayanan et al. 2021, section 5.1, without
// recomputation), of which the causal mask drops half: both utilisations are
// shown, and the ideal step is the causal one.
func TestCausalUtilisation(t *testing.T) {
	a, x := explained(t, ask.Question{Model: "70b", GPUs: 512, SeqLen: 131072, Framework: "megatron"}, "tp=8,pp=2,vpp=8,cp=8,zero=1,shard=16")
	tokens := 128 * 131072.
	products := 6 * (70553706496. - 128256*8192) // all but the embedding
	scores := 12 * 80 * 8192 * 131072.
	at := func(flopsPerToken float64) float64 { return flopsPerToken * tokens / 989.4e12 / 512 }
	var b bytes.Buffer
	utilisation(&b, a.Problem, x)
	for _, want := range []string{
		fmt.Sprintf("= %.4e /", (products+scores)*tokens), fmt.Sprintf("= %.4e /", (products+scores/2)*tokens),
		fmt.Sprintf("The ideal step is %.3f s, or %.3f s with attention whole", at(products+scores/2), at(products+scores)),
		fmt.Sprintf("compute takes %.3f s more", float64(x.Compute)-at(products+scores/2)),
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	stepSection(&b, a.Problem, x)
	if want := fmt.Sprintf("(causal %.1f %%)", 100*at(products+scores/2)/float64(x.Step)); !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// In a window of 4,096 of 32,768 tokens (Mistral-7B) a causal mask leaves nearly
// every key: what is halved is not what it drops, and no text says so.
func TestCausalWindow(t *testing.T) {
	for seq, dropped := range map[int]bool{4096: true, 32768: false} {
		a, x := explained(t, ask.Question{Model: "mistral-7b", GPUs: 64, SeqLen: seq}, "tp=2")
		var b bytes.Buffer
		utilisation(&b, a.Problem, x)
		if got := strings.Contains(b.String(), "half of attention that the mask drops"); got != dropped {
			t.Errorf("%d tokens: says that the mask drops half: %v\n%s", seq, got, b.String())
		}
		if got := strings.Contains(b.String(), "windows of 4,096 the mask drops less"); got == dropped {
			t.Errorf("%d tokens: says that windows differ: %v\n%s", seq, got, b.String())
		}
	}
}
