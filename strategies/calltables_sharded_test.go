package strategies_test

import (
	"fmt"
	"testing"
)

// sharded is a step that gathers every layer before its passes and scatters its
// gradient, m micro-batches: layers of `layer` elements and the rest, gathered
// in 2 bytes, scattered in e.
func sharded(layers, layer, root, forward, backward, scatter, e float64, group, nodes int, dtype string) []row {
	return []row{
		{"all_gather", "forward", 2 * layer, forward * layers, group, nodes, "bf16"}, {"all_gather", "forward", 2 * root, forward, group, nodes, "bf16"},
		{"all_gather", "backward", 2 * layer, backward * layers, group, nodes, "bf16"}, {"all_gather", "backward", 2 * root, backward, group, nodes, "bf16"},
		{"reduce_scatter", "backward", e * layer, scatter * layers, group, nodes, dtype}, {"reduce_scatter", "backward", e * root, scatter, group, nodes, dtype},
	}
}

// deepspeed7b is 7b on 16 or 32 GPUs without tensor parallelism, m micro-batches
// of one sequence, buckets of 5e8 elements, bf16 gradients.
func deepspeed7b(zero int) table {
	x := llama7b
	layer, root := x.matrices()+2*x.h, 2*x.v*x.h+x.h
	all := 32*layer + root
	gather := []row{{"all_gather", "optimizer", 2 * all, 1, 16, 2, "bf16"}} // a parameter group at once
	switch zero {
	case 1: // one AllReduce of every bucket a step
		return table{q: question("llama2-7b", "", "deepspeed", 16, 64, 4096), layout: "zero=1", want: [][]row{
			buckets("all_reduce", "backward", all, 5e8, 2, 1, 16, 2, "bf16"), gather, finish(16, 2, 16, 2), overflow(16, 2)}}
	case 2: // one AllReduce of every bucket a micro-batch (engine.py:2902-2904)
		return table{q: question("llama2-7b", "", "deepspeed", 16, 64, 4096), layout: "zero=2", want: [][]row{
			buckets("all_reduce", "backward", all, 5e8, 2, 4, 16, 2, "bf16"), gather, finish(16, 2, 16, 2), overflow(16, 2)}}
	}
	// Norms are below the persistence threshold; the head and the last layer lie
	// within the reuse distance of 1e9 elements there and back. Embedding and head
	// are modules of their own. Of a layer three calls reach the 5e7 elements of
	// the prefetch bucket: queries, keys and values; output and gate; up and down.
	return table{q: question("llama2-7b", "", "deepspeed", 32, 64, 4096), layout: "zero=3,recompute=full", want: [][]row{
		sharded(3*32, x.matrices()/3, 0, 2, 0, 0, 2, 32, 4, "bf16"), {{"all_gather", "forward", 2 * x.v * x.h, 2 * 2, 32, 4, "bf16"}},
		{{"all_gather", "backward", 2 * x.matrices() / 3, 2 * 3 * 31, 32, 4, "bf16"}, {"all_gather", "backward", 2 * x.v * x.h, 2, 32, 4, "bf16"},
			{"reduce_scatter", "backward", 2 * x.v * x.h, 2, 32, 4, "bf16"}, {"reduce_scatter", "backward", 2 * (x.v*x.h + x.h), 2, 32, 4, "bf16"},
			{"all_gather", "optimizer", 2 * 65 * x.h, 1, 32, 4, "bf16"}},
		buckets("reduce_scatter", "backward", 32*layer, 5e8, 2, 2, 32, 4, "bf16"), finish(32, 4, 32, 4), overflow(32, 4)}}
}

// fsdp7b is 7b under PyTorch: DDP, parameters kept between the passes, and
// HSDP inside a node.
func fsdp7b(layout string) table {
	x := llama7b
	layer, root := x.matrices()+2*x.h, 2*x.v*x.h+x.h
	q16, q32 := question("llama2-7b", "", "fsdp", 16, 64, 4096), question("llama2-7b", "", "fsdp", 32, 64, 4096)
	switch layout {
	case "zero=0": // 25 MiB buckets, the first of 1 MiB
		return table{q: q16, layout: layout, want: [][]row{
			{{"all_reduce", "backward", 1048576, 1, 16, 2, "bf16"}},
			buckets("all_reduce", "backward", 32*layer+root-1048576/2, 25*1048576/2, 2, 1, 16, 2, "bf16"), finish(1, 1, 16, 2)}}
	case "zero=2":
		return table{q: q16, layout: layout, want: [][]row{sharded(32, layer, root, 4, 0, 4, 2, 16, 2, "bf16"), finish(16, 2, 16, 2)}}
	}
	// Each replica group AllReduces an eighth of every gradient.
	return table{q: q32, layout: layout, want: [][]row{sharded(32, layer, root, 2, 2, 2, 2, 8, 1, "bf16"),
		{{"all_reduce", "backward", 2 * layer / 8, 2 * 32, 4, 4, "bf16"}, {"all_reduce", "backward", 2 * root / 8, 2, 4, 4, "bf16"}}, finish(8, 1, 32, 4)}}
}

// torchtitan70b is 70b with tp=8, cp=2 that gathers keys and values, and FSDP
// with fp32 reductions over 32 ranks.
func torchtitan70b() table {
	x := llama70b
	x.t, x.c, x.m, x.n = 8, 2, 4, 80
	layer, rows := x.matrices()/8+2*x.h, x.v*x.h/8
	keys := x.s * (x.kv / x.t) * x.d * 2
	each := x.m * x.n
	return table{q: question("llama3.1-70b", "", "torchtitan", 256, 64, 8192), layout: "tp=8,cp=2,zero=3,cpkind=allgather", want: [][]row{
		x.sequenceParallel(0), x.embedding(), x.head(0), sharded(80, layer, rows, 4, 4, 4, 4, 32, 32, "fp32"), sharded(0, 0, rows+x.h, 4, 4, 4, 4, 32, 32, "fp32"),
		finish(32, 32, 32, 32), meshNorm(x, 1, 1, 16, 16),
		{{"all_gather", "forward", keys, 2 * each, 2, 2, "bf16"}, {"all_gather", "backward", keys, 2 * each, 2, 2, "bf16"},
			{"reduce_scatter", "backward", keys, 2 * each, 2, 2, "bf16"}, x.tp("all_reduce", "optimizer", 4*(80*2+1)*x.h, 1, "fp32")}}}
}

// torchtitanPipeline is 70b with tp=8, pp=4, first stage: the pipeline scatters
// once a step (pipelining/stage.py, backward_maybe_with_nosync), and gathers
// once a step too unless parameters are freed after each forward pass
// (fsdp_reshard_after_forward = "never" at zero=2, "always" at zero=3): then the
// 3 passes of the warm-up and the next gather, and all backward passes but the
// last 3, which find what the one before left.
func torchtitanPipeline(zero int) table {
	x := llama70b
	x.t, x.m, x.n = 8, 8, 20
	layer, root := x.matrices()/8+2*x.h, x.v*x.h/8
	forward, backward := 1.0, 0.0
	if zero == 3 {
		forward, backward = 3+1, x.m-3
	}
	return table{q: question("llama3.1-70b", "", "torchtitan", 256, 64, 8192), layout: fmt.Sprintf("tp=8,pp=4,zero=%d", zero), want: [][]row{
		x.sequenceParallel(0), x.embedding(), hops(x.act()/8, 0, 8, 2), sharded(20, layer, root, forward, backward, 1, 4, 8, 8, "fp32"), finish(8, 8, 1, 1), meshNorm(x, 4, 4, 8, 8),
		{x.tp("all_reduce", "optimizer", 4*20*2*x.h, 1, "fp32")}}}
}

// overflow is DeepSpeed's flag, a maximum over the ranks of ZeRO.
func overflow(ranks, nodes int) []row {
	return []row{{"all_reduce", "optimizer", 4, 1, ranks, nodes, "fp32"}}
}

// meshNorm is what torchtitan's norm sums beyond the shard (DTensor.full_tensor
// over TP, then PP; distributed/utils.py:655-668), and the valid tokens of the
// replicas (trainer.py:870).
func meshNorm(x dims, pp, ppNodes, dp, dpNodes int) []row {
	return []row{x.tp("all_reduce", "optimizer", 4, 1, "fp32"), {"all_reduce", "optimizer", 4, 1, pp, ppNodes, "fp32"},
		{"all_reduce", "optimizer", 8, 1, dp, dpNodes, "int64"}}
}

func TestCallTablesSharded(t *testing.T) {
	for _, x := range []table{deepspeed7b(1), deepspeed7b(2), deepspeed7b(3), fsdp7b("zero=0"), fsdp7b("zero=2"), fsdp7b("zero=3,shard=8"),
		torchtitan70b(), torchtitanPipeline(2), torchtitanPipeline(3)} {
		t.Run(x.name(), x.check)
	}
}
