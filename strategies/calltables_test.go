package strategies_test

import (
	"testing"

	"planner/internal/ask"
)

// Sizes of the models, from their published configurations.
var (
	llama70b = dims{s: 8192, b: 1, h: 8192, a: 64, kv: 8, d: 128, f: 28672, v: 128256, t: 1, c: 1}
	llama7b  = dims{s: 4096, b: 1, h: 4096, a: 32, kv: 32, d: 128, f: 11008, v: 32000, t: 1, c: 1}
	gpt175b  = dims{s: 2048, b: 1, h: 12288, a: 96, kv: 96, d: 128, f: 49152, v: 51200, t: 8, c: 1} // 50257 padded to 128·8
	mixtral  = dims{s: 4096, b: 1, h: 4096, a: 32, kv: 8, d: 128, f: 14336, v: 32000, t: 2, c: 1}
)

func question(model, hardware, framework string, gpus, batch, seq int) ask.Question {
	return ask.Question{Model: model, Hardware: hardware, Framework: framework, GPUs: gpus, GlobalBatch: batch, SeqLen: seq}
}

// megatron70b is 70b with tp=4, pp=4 and 5 chunks of 4 layers on 1024 GPUs:
// dp = 64 on 32 nodes, m = 16.
func megatron70b(stage int) table {
	x := llama70b
	x.t, x.m, x.n = 4, 16, 20
	layer := x.matrices()/4 + 2*x.h
	rows := 128512 * x.h / 4 // 128256 padded to 128·4
	chunk := 4 * layer
	norms := 20 * 2 * x.h
	hop := x.act() / 4
	var ends [][]row
	switch stage {
	case 0:
		// Chunk 0 is cut into buckets of 1e6·dp = 64e6 elements.
		ends = [][]row{x.embedding(), x.batch(2, 0), hops(hop, 4*16, 5*16, 2),
			buckets("reduce_scatter", "backward", chunk+rows, 64e6, 4, 1, 64, 32, "fp32"),
			buckets("all_gather", "optimizer", chunk+rows, 64e6, 2, 1, 64, 32, "bf16"),
			zero1(chunk, 4, 64, 32), finish(1024, 128, 1, 1)}
	case 3:
		norms += x.h
		ends = [][]row{x.head(1), x.batch(2, 1), hops(hop, 5*16, 4*16, 2),
			zero1(chunk+rows+x.h, 1, 64, 32), zero1(chunk, 4, 64, 32), finish(1024, 128, 64, 32)}
	default:
		ends = [][]row{hops(hop, 5*16, 5*16, 2), zero1(chunk, 5, 64, 32), finish(1024, 128, 1, 1)}
	}
	return table{q: question("llama3.1-70b", "", "megatron", 1024, 1024, 8192), layout: "tp=4,pp=4,vpp=5,zero=1", stage: stage, want: append(ends, x.sequenceParallel(2), []row{x.tp("all_reduce", "optimizer", 4*norms, 1, "fp32")})}
}

// zero1 is Megatron's distributed optimizer: fp32 ReduceScatter and bf16
// AllGather of each chunk (param_and_grad_buffer.py:507-727).
func zero1(elements, times float64, group, nodes int) []row {
	return []row{{"reduce_scatter", "backward", 4 * elements, times, group, nodes, "fp32"},
		{"all_gather", "optimizer", 2 * elements, times, group, nodes, "bf16"}}
}

// zero1Whole is the same without a pipeline: all of it in buckets of
// max(40e6, 1e6·dp) elements, experts or not, dp without context parallelism
// (distributed_data_parallel.py, get_data_parallel_world_size).
func zero1Whole(elements, bucket float64, group, nodes int) []row {
	return append(buckets("reduce_scatter", "backward", elements, bucket, 4, 1, group, nodes, "fp32"),
		buckets("all_gather", "optimizer", elements, bucket, 2, 1, group, nodes, "bf16")...)
}

// contextRing is 70b with tp=8, cp=4 on 256 GPUs: the DP·CP group is 32 ranks,
// one a node; m = 8.
func contextRing() table {
	x := llama70b
	x.t, x.c, x.m, x.n = 8, 4, 8, 80
	kv := 2 * x.s / x.c * x.b * (x.kv / x.t) * x.d * 2
	ring := func(op string) []row {
		each := x.m * x.n
		return []row{{op, "forward", kv, 3 * each, 4, 4, "bf16"},
			{op, "backward", kv, 2 * each, 4, 4, "bf16"}, {op, "backward", 2 * kv, 2 * each, 4, 4, "bf16"}}
	}
	elements := 80*(x.matrices()/8+2*x.h) + 2*129024*x.h/8 + x.h // 128256 padded to 128·8
	return table{q: question("llama3.1-70b", "", "megatron", 256, 64, 8192), layout: "tp=8,cp=4,zero=1", stage: 0, want: [][]row{x.sequenceParallel(2), x.embedding(), x.head(1), x.batch(3, 1), ring("send"), ring("recv"),
		zero1Whole(elements, 40e6, 32, 32), finish(256, 32, 32, 32),
		{x.tp("all_reduce", "optimizer", 4*(80*2+1)*x.h, 1, "fp32")}}}
}

// ulysses is 70b with tp=4, cp=2 a2a on 256 GPUs: AllToAlls of q, k, v and the
// output forward, of their gradients backward.
func ulysses() table {
	x := llama70b
	x.t, x.c, x.m, x.n = 4, 2, 2, 80
	q, kv := x.s/2*(x.a/4)*x.d*2, x.s/2*(x.kv/4)*x.d*2
	each := x.m * x.n
	var exchange []row
	for _, phase := range []string{"forward", "backward"} {
		exchange = append(exchange, row{"all_to_all", phase, q, 2 * each, 2, 1, "bf16"}, row{"all_to_all", phase, kv, 2 * each, 2, 1, "bf16"})
	}
	elements := 80*(x.matrices()/4+2*x.h) + 2*128512*x.h/4 + x.h
	return table{q: question("llama3.1-70b", "", "megatron", 256, 64, 8192), layout: "tp=4,cp=2,zero=1,cpkind=a2a", stage: 0, want: [][]row{x.sequenceParallel(2), x.embedding(), x.head(1), x.batch(3, 1), exchange,
		zero1Whole(elements, 40e6, 64, 32), finish(256, 32, 64, 32),
		{x.tp("all_reduce", "optimizer", 4*(80*2+1)*x.h, 1, "fp32")}}}
}

// gpt3 is 175b with tp=8, pp=8, fp32 AllReduce of the gradients, on 1024 A100:
// dp = 16 on 16 nodes, m = 96, 12 layers of 12h²+13h parameters a stage.
func gpt3(stage int) table {
	x := gpt175b
	x.m, x.n = 96, 12
	each := x.m * x.n
	// Split over TP: 12h² and the biases of QKV (3h) and fc1 (4h); whole: two
	// output biases and two layer norms of weight and bias.
	layers := 12 * ((12*x.h*x.h+7*x.h)/8 + 6*x.h)
	rows := x.v * x.h / 8
	// 4 AllReduces of A a layer, and the forward ones again.
	tp := []row{x.tp("all_reduce", "forward", x.act(), 2*each, "bf16"), x.tp("all_reduce", "backward", x.act(), 4*each, "bf16")}
	tied := []row{{"all_reduce", "optimizer", 4 * rows, 1, 2, 2, "fp32"}}
	ends := [][]row{{x.tp("all_reduce", "forward", x.act(), x.m, "bf16")}, x.batch(2, 0), hops(x.act(), 0, 96, 2),
		buckets("all_reduce", "backward", layers+rows+2048*x.h, 40e6, 4, 1, 16, 16, "fp32"), tied, finish(64, 8, 1, 1)}
	if stage == 7 {
		ends = [][]row{{x.tp("all_reduce", "backward", x.act(), x.m, "bf16"), x.tp("all_reduce", "forward", 4*x.s, 3*x.m, "fp32")},
			x.batch(2, 1), hops(x.act(), 96, 0, 2),
			{{"all_reduce", "backward", 4 * (layers + rows + 2*x.h), 1, 16, 16, "fp32"}}, tied, finish(64, 8, 16, 16)}
	}
	return table{q: question("gpt3-175b", "a100-sxm-80gb", "megatron", 1024, 1536, 2048), layout: "tp=8,pp=8,sp=false,recompute=full", stage: stage, want: append(ends, tp)}
}

// gpt3Sequence is the first stage with SP: learned positions are added after an
// AllReduce, whose gradient is gathered (language_model_embedding.py:143-146).
func gpt3Sequence() table {
	x := gpt175b
	x.m, x.n = 96, 12
	layers := 12 * ((12*x.h*x.h+7*x.h)/8 + 6*x.h)
	rows := x.v * x.h / 8
	return table{q: question("gpt3-175b", "a100-sxm-80gb", "megatron", 1024, 1536, 2048), layout: "tp=8,pp=8,zero=1", stage: 0, want: [][]row{x.sequenceParallel(2), x.batch(2, 0), hops(x.act()/8, 0, 96, 2),
		{x.tp("all_reduce", "forward", x.act(), x.m, "bf16"), x.tp("all_gather", "backward", x.act(), x.m, "bf16"),
			{"all_reduce", "optimizer", 4 * rows, 1, 2, 2, "fp32"}, x.tp("all_reduce", "optimizer", 4*12*6*x.h, 1, "fp32")},
		zero1Whole(layers+rows+2048*x.h, 40e6, 16, 16), finish(1024, 128, 1, 1)}}
}

// experts is Mixtral with tp=2, pp=2, ep=8 of whole experts on 64 GPUs, first
// stage: dp = 16 on 4 nodes, m = 4, 16 layers; the experts' copies are 4 ranks
// apart by 8.
func experts(dispatcher string) table {
	x := mixtral
	x.m, x.n = 4, 16
	each := x.m * x.n
	tokens := x.s / x.t // T = s·b/(c·t), two copies of each
	attention := x.h*(x.a+2*x.kv)*x.d + x.a*x.d*x.h
	dense := 16*(attention/2+2*x.h+8*x.h) + 32000*x.h/2 // with two norms and the router
	expert := 16.0 * 3 * x.h * x.f
	ep := func(op, phase string, m, n float64, dtype string) row {
		return row{op, phase, m, n * each, 8, 1, dtype}
	}
	moe := []row{ep("all_to_all", "forward", tokens*2*x.h*2, 2, "bf16"), ep("all_to_all", "backward", tokens*2*x.h*2, 2, "bf16"),
		ep("all_to_all", "forward", tokens*2*4, 1, "fp32"), ep("all_to_all", "backward", tokens*2*4, 1, "fp32"),
		ep("all_gather", "forward", 8*8*8, 1, "int64")}
	layout := "tp=2,pp=2,ep=8,etp=1,zero=1"
	if dispatcher == "allgather" {
		// Hidden states, fp32 probabilities and the routing map of every rank.
		layout += ",dispatcher=allgather"
		moe = []row{ep("all_gather", "forward", 8*tokens*x.h*2, 1, "bf16"), ep("reduce_scatter", "forward", 8*tokens*x.h*2, 1, "bf16"),
			ep("all_gather", "backward", 8*tokens*x.h*2, 1, "bf16"), ep("reduce_scatter", "backward", 8*tokens*x.h*2, 1, "bf16"),
			ep("all_gather", "forward", 8*tokens*8*4, 1, "fp32"), ep("reduce_scatter", "backward", 8*tokens*8*4, 1, "fp32"),
			ep("all_gather", "forward", 8*tokens*8, 1, "int8")}
	}
	// Attention is the one column–row pair: half of the TP calls of a layer.
	pair := x
	pair.n = 8
	return table{q: question("mixtral-8x7b", "", "megatron", 64, 64, 4096), layout: layout, stage: 0, want: [][]row{pair.sequenceParallel(2), x.embedding(), x.batch(2, 0), hops(x.act()/2, 0, 4, 2), moe,
		zero1Whole(dense, 40e6, 16, 4), zero1Whole(expert, 40e6, 4, 4), finish(64, 8, 1, 1),
		{x.tp("all_reduce", "optimizer", 4*16*(2*x.h+8*x.h), 1, "fp32")}}}
}

// wideTP is 70b with tp=16 over its 8 key heads, on 2 nodes each: every rank
// gathers the whole projection of queries, keys and values.
func wideTP() table {
	x := llama70b
	x.t, x.m, x.n, x.tpNodes = 16, 8, 80, 2
	whole := x.s * (x.a + 2*x.kv) * x.d * 2
	return table{q: question("llama3.1-70b", "", "megatron", 128, 64, 8192), layout: "tp=16", stage: 0, want: [][]row{x.sequenceParallel(2), x.embedding(), x.head(1), x.batch(3, 1),
		{x.tp("all_gather", "forward", whole, x.m*x.n, "bf16"), x.tp("reduce_scatter", "backward", whole, x.m*x.n, "bf16"),
			x.tp("all_reduce", "optimizer", 4*(80*2+1)*x.h, 1, "fp32"), x.tp("all_reduce", "optimizer", 4, 1, "fp32")}}, only: 16}
}

func TestCallTablesMegatron(t *testing.T) {
	for _, x := range []table{megatron70b(0), megatron70b(1), megatron70b(3), contextRing(), ulysses(), gpt3(0), gpt3(7), gpt3Sequence(),
		experts("alltoall"), experts("allgather"), wideTP()} {
		t.Run(x.name(), x.check)
	}
}
