package strategies_test

import (
	"context"
	"strconv"
	"testing"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/strategies"
)

// asked is a question of a case and what explain says of one layout.
func asked(t *testing.T, q ask.Question, layout string) (*ask.Answer, *strategies.Explanation) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Explain(l, f)
}

// gathered sums the parameters that one rank's gathers send, those that leave
// the node, in bytes of a step.
func gathered(x *strategies.Explanation, acrossOnly bool) (sum float64) {
	for _, c := range x.Calls {
		if c.Op == collective.AllGather && (!acrossOnly || c.Span.Domains > 1) && c.Phase != collective.Init {
			sum += float64(c.Wire()) * c.Count
		}
	}
	return sum
}

// A secondary shard in each node halves the parameters that cross nodes, for a
// 16-bit copy over the node.
func TestCase092(t *testing.T) {
	c := loadCase(t, "092-zero3-multinode-72b-hpz")
	q := ask.Question{Model: "qwen2-72b", Hardware: "a100-sxm-40gb", GPUs: 32, Framework: "deepspeed", SeqLen: 2048, GlobalBatch: 32}
	_, flat := asked(t, q, "zero=3")
	_, hpz := asked(t, q, "zero=3,hpz=8")
	if hpz.Step >= flat.Step {
		t.Errorf("hpz=8 takes %v, flat %v", hpz.Step, flat.Step)
	}
	within(t, "parameters across nodes", gathered(hpz, true)/gathered(flat, true), number(t, c.Expect["cross_node_param_bytes_ratio"]), number(t, c.Expect["tolerance_rel"]))
	within(t, "GB more", float64(hpz.Memory.Allocated()-flat.Memory.Allocated())/1e9, number(t, c.Expect["hpz_extra_memory_gb"]), number(t, c.Expect["tolerance_rel"]))
	q.GPUs = 8
	if _, one := asked(t, q, "zero=3"); one.Fits {
		t.Error("one node fits without offload")
	}
}

// Where the state fits, splitting it further only adds calls.
func TestCase094(t *testing.T) {
	loadCase(t, "094-ddp-beats-fsdp-1b")
	a, err := ask.Ask(ask.Question{Model: "olmo-1b", GPUs: 4})
	if err != nil {
		t.Fatal(err)
	}
	if best := a.Search(context.Background(), strategies.Space{}, strategies.Options{Top: 1}).Ranking[0]; best.Layout.Zero > 1 || best.Layout.DP != 4 {
		t.Errorf("first is %v", best.Layout)
	}
	q := ask.Question{Model: "bloom-560m", Hardware: "a10", GPUs: 2, Framework: "deepspeed", SeqLen: 512, GlobalBatch: 2}
	var steps [4]unit.Seconds
	for z, l := range []string{"zero=0", "zero=1", "zero=2", "zero=3"} {
		_, x := asked(t, q, l)
		steps[z] = x.Step
	}
	if steps[1] > steps[2] || steps[2] >= steps[3] {
		t.Errorf("ZeRO-1, -2, -3 take %v, want them to rise", steps[1:])
	}
}

// Frozen weights are gathered all the same.
func TestCase095(t *testing.T) {
	c := loadCase(t, "095-zero3-20min-vs-17s-lora")
	trained := number(t, c.Model["trainable"]) / number(t, c.Model["params"])
	q := ask.Question{Model: "llama3-8b", Hardware: "a100-pcie-80gb", GPUs: 3, Framework: "deepspeed", SeqLen: 1024, GlobalBatch: 6, Trainable: trained}
	_, two := asked(t, q, "zero=2")
	_, three := asked(t, q, "zero=3")
	if two.Step >= three.Step {
		t.Errorf("ZeRO-2 takes %v, ZeRO-3 %v", two.Step, three.Step)
	}
	within(t, "GB gathered", gathered(three, false)/1e9, number(t, c.Expect["zero3_gather_gb_per_step"]), number(t, c.Expect["tolerance_rel"]))
	sent := 0.0
	for _, x := range two.Calls {
		if x.Phase != collective.Init && x.Phase != collective.Checkpoint {
			sent += float64(x.Wire()) * x.Count / 1e9
		}
	}
	if most := number(t, c.Expect["zero2_comm_gb_per_step_max"]); sent > most {
		t.Errorf("ZeRO-2 sends %.3f GB, want at most %v", sent, most)
	}
}

// In one node of A100 a pipeline with many micro-batches beats TP for small
// models, and data parallelism both where it fits.
func TestCase096(t *testing.T) {
	c := loadCase(t, "096-pp-faster-than-tp-in-node")
	q := ask.Question{Model: "gpt3-6.7b", Hardware: "a100-sxm-80gb", GPUs: 8, Framework: "megatron", SeqLen: 2048, GlobalBatch: 64}
	_, tp := asked(t, q, "tp=8")
	_, pp := asked(t, q, "pp=8")
	_, dp := asked(t, q, "zero=1")
	if !(dp.Step < pp.Step && pp.Step < tp.Step) {
		t.Errorf("dp %v, pp %v, tp %v: want them to rise", dp.Step, pp.Step, tp.Step)
	}
	within(t, "pp over tp", float64(tp.Step/pp.Step), number(t, c.Observed["speedup"]), 0.1)
	within(t, "bubble at 64", idle(8, 64), number(t, c.Expect["bubble_m64"]), 0.005)
}

// idle is the idle share of a pipeline of p equal stages and m micro-batches.
func idle(p, m float64) float64 {
	s := costmodel.StageTime{Fwd: 1, Bwd: 2, Ranks: 1}
	stages := make([]costmodel.StageTime, int(p))
	for i := range stages {
		stages[i] = s
	}
	return 1 - 3*m/float64(costmodel.PipelineTime(costmodel.OneFOneB, stages, m, 1))
}

func TestCase098(t *testing.T) {
	c := loadCase(t, "098-pipeline-fill-batch-384")
	for _, key := range [][2]string{{"microbatches_at_384_dp16", "bubble_at_384"}, {"microbatches_at_2048_dp8", "bubble_at_2048"}} {
		m := number(t, c.Expect[key[0]])
		within(t, key[1], idle(number(t, c.Layout["pp"]), m), number(t, c.Expect[key[1]]), number(t, c.Expect["tolerance_rel"]))
	}
}

// Larger micro-batches are never slower until memory ends them.
func TestCase101(t *testing.T) {
	c := loadCase(t, "101-tp-small-microbatch-throughput")
	q := ask.Question{Model: "gpt3-350m", Hardware: "a40", GPUs: 2, Framework: "megatron", SeqLen: 1024, GlobalBatch: int(number(t, c.Layout["gbs"]))}
	last := unit.Seconds(1e9)
	for _, m := range numbers(t, c.Expect["valid_mbs"]) {
		_, x := asked(t, q, "mbs="+strconv.Itoa(int(m)))
		if x.Fits && x.Step > last {
			t.Errorf("mbs=%v takes %v, the one before %v", m, x.Step, last)
		}
		last = x.Step
	}
}
