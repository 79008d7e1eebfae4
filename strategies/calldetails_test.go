package strategies_test

import (
	"fmt"
	"math"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
)

// TestCallDetails holds single rows of tables: bytes and counts worked out by
// hand from the sources named.
func TestCallDetails(t *testing.T) {
	for _, x := range []struct {
		about     string
		q         ask.Question
		precision string
		layout    string
		stage     int
		want      []string // op, phase, dtype, bytes, count
	}{
		{"DeepSpeed reduces in fp32 with a sequence-parallel group (stage_1_and_2.py:1845): 8,030,261,248 parameters in buckets of 5e8, two micro-batches",
			question("llama3.1-8b", "", "deepspeed", 64, 32, 8192), "", "cp=4,dp=16,zero=2,cpkind=a2a,recompute=full", 0,
			[]string{"all_reduce backward fp32 2000000000 32", "all_reduce backward fp32 121044992 2"}},
		{"an fp32 step moves 4 bytes an element: a layer of 8B has 218,112,000",
			question("llama3.1-8b", "", "fsdp", 64, 64, 8192), "fp32", "dp=64,zero=3", 0, []string{"all_gather forward fp32 872448000 32"}},
		{"and its activations, s·b·h·4: two gathers in each of 32 layers, one before the head, 4 micro-batches", question("llama3.1-8b", "", "megatron", 64, 64, 8192), "fp32", "tp=4,dp=16,zero=1", 0,
			[]string{"all_gather forward fp32 134217728 260"}},
		{"DeepSeek-V3's compressed queries (1536), keys (512) and rotary keys (64) are gathered, 8 layers and 8 micro-batches of 4096·2 tokens; its router moves by the tokens of 8·256 experts",
			question("deepseek-v3", "", "megatron", 1024, 512, 8192), "", "tp=2,pp=8,ep=64,etp=1,dp=64,zero=1,recompute=full,first=7,last=6", 1,
			[]string{"all_gather forward bf16 25165824 64", "all_gather forward bf16 8388608 64", "all_gather forward bf16 1048576 64", "all_gather forward bf16 117440512 64", "all_reduce optimizer fp32 8192 1"}},
		{"Megatron-DeepSpeed gathers the input of a split product again: 6 gathers a layer of 8 layers and 16 micro-batches, 4 backward",
			question("llama3.1-8b", "", "megatron-deepspeed", 64, 64, 8192), "", "tp=4,pp=4,dp=4,zero=1", 1, []string{"all_gather backward bf16 67108864 512"}},
		{"without SP each of two TP ranks sends all 8192 tokens to their two experts",
			question("mixtral-8x7b", "", "megatron", 64, 64, 8192), "", "tp=2,ep=8,etp=1,dp=32,zero=1,sp=false", 0, []string{"all_to_all forward bf16 134217728 128"}},
		{"and the gathering dispatcher collects them from eight such ranks", question("mixtral-8x7b", "", "megatron", 64, 64, 8192), "",
			"tp=2,ep=8,etp=1,dp=32,zero=1,sp=false,dispatcher=allgather", 0, []string{"all_gather forward bf16 536870912 64"}},
		{"Megatron exchanges the counts of tokens wherever experts are split, over TP alone too (token_dispatcher.py, preprocess): 2·8 of 8 bytes, 32 layers and two micro-batches",
			question("mixtral-8x7b", "", "megatron", 64, 64, 8192), "", "tp=2,dp=32,zero=1", 0, []string{"all_gather forward int64 128 64"}},
		{"torchtitan's experts, whole beside EP, return a part of a sum over TP as attention does (models/common/MOE_SHARDING.md): two sums forward in each of 48 layers and the embedding's, two micro-batches; gathers are attention's and the head's",
			question("qwen3-30b-a3b", "", "torchtitan", 64, 64, 4096), "", "tp=2,ep=8,etp=1,dp=32,zero=3", 0,
			[]string{"reduce_scatter forward bf16 16777216 194", "all_gather forward bf16 16777216 98", "all_gather backward bf16 16777216 194", "reduce_scatter backward bf16 16777216 98"}},
		{"and without EP, split over TP, take all its tokens as well, each once: no copy of eight is gathered", question("qwen3-30b-a3b", "", "torchtitan", 64, 64, 4096), "",
			"tp=2,dp=32,zero=3", 0, []string{"reduce_scatter forward bf16 16777216 194", "all_gather forward bf16 16777216 194", "all_gather forward bf16 134217728 0"}},
		{"with shared experts the sum is of both: 61 layers of two, and the embedding's", question("deepseek-v3", "", "torchtitan", 1024, 1024, 4096), "",
			"tp=8,ep=64,etp=1,dp=128,zero=3", 0, []string{"reduce_scatter forward bf16 58720256 984"}},
	} {
		x.q.Precision = x.precision
		a, err := ask.Ask(x.q)
		if err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout(x.layout)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, c := range a.Problem.Explain(l, f).Calls {
			if c.Stage == x.stage && c.Phase != collective.Init {
				got[fmt.Sprintf("%s %s %s %.0f", c.Op, c.Phase, c.DType, float64(c.Bytes))] += c.Count
			}
		}
		for _, want := range x.want {
			var op, phase, dtype string
			var bytes, count float64
			if _, err := fmt.Sscan(want, &op, &phase, &dtype, &bytes, &count); err != nil {
				t.Fatal(err)
			}
			if n := got[fmt.Sprintf("%s %s %s %.0f", op, phase, dtype, bytes)]; math.Abs(n-count) > 1e-6 {
				t.Errorf("%s: %s: got %v of %v", x.about, want, n, got)
			}
		}
	}
}
