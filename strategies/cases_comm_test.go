package strategies_test

import (
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// Gathering parameters again costs a half more than DDP; keeping them costs the
// same and holds them.
func TestCase081(t *testing.T) {
	c := loadCase(t, "081-fsdp-volume-1p5")
	want := numbers(t, c.Expect["volume_ratio"])
	a, err := ask.Ask(ask.Question{Model: "llama3.2-1b", GPUs: 8, GlobalBatch: 8, Framework: "fsdp"})
	if err != nil {
		t.Fatal(err)
	}
	m := a.Problem.Model
	all := float64(m.Parameters())
	ddp := 2 * 7 / 8.0 * all * 2 // an AllReduce of 16-bit gradients
	held := map[string]unit.Bytes{}
	for i, layout := range []string{"zero=0", "zero=3", "zero=2"} {
		l, f, err := a.Layout(layout)
		if err != nil {
			t.Fatal(err)
		}
		x := a.Problem.Explain(l, f)
		held[layout] = x.Memory.Buffers
		sent := 0.0
		for j := range x.Calls {
			if k := &x.Calls[j]; k.Phase == collective.Forward || k.Phase == collective.Backward {
				sent += float64(k.Wire()) * k.Count
			}
		}
		within(t, layout, sent/ddp, want[i], 1e-6)
	}
	root := float64(m.Embedding()) + float64(m.FinalNorm)
	within(t, "bytes held per layer parameter", float64(held["zero=2"]-held["zero=3"])/(all-root), 2, 1e-9)
}

// busbw returns nccl-tests' bus bandwidth in GB/s, as predicted at 8 GB.
func busbw(t testing.TB, op collective.Op, hardware string, gpus, ranks int) float64 {
	t.Helper()
	c, err := catalog.Cluster(hardware, gpus)
	if err != nil {
		t.Fatal(err)
	}
	links, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	const m = unit.Bytes(8e9)
	price := collective.NewFabric(c, links).Time(op, m, c.Span(1, ranks))
	factor := float64(ranks-1) / float64(ranks)
	if op == collective.AllReduce {
		factor *= 2
	}
	return float64(m) / float64(price.Seconds) * factor / 1e9
}

// AllToAll never adds the NICs of a node up: busbw falls towards one NIC.
func TestCase084(t *testing.T) {
	c := loadCase(t, "084-nccl-alltoall-two-nodes")
	upper, tolerance := numbers(t, c.Expect["busbw_upper_gbs"]), number(t, c.Expect["tolerance_rel"])
	nodes := numbers(t, c.Cluster["nodes"])
	for i := range nodes {
		n := int(nodes[i]) * 8
		if got := busbw(t, collective.AllToAll, "h100-sxm-80gb", n, n); got > upper[i]*(1+tolerance) || got < upper[i]/2 {
			t.Errorf("%v nodes: %.1f GB/s, want at most %v", nodes[i], got, upper[i])
		}
	}
}

// One node of H100: 368 GB/s on a ring, more for an AllReduce in the switch of
// 5 to 8 ranks.
func TestCase086(t *testing.T) {
	c := loadCase(t, "086-nccl-h100-single-node")
	want, tolerance := c.Expect["busbw"].([]any), number(t, c.Expect["tolerance_rel"])
	at := func(op collective.Op, ranks int, want float64) {
		t.Helper()
		within(t, op.String(), busbw(t, op, "h100-sxm-80gb", 8, ranks), want, tolerance)
	}
	at(collective.AllGather, 8, number(t, want[0]))
	at(collective.ReduceScatter, 8, number(t, want[0]))
	at(collective.AllReduce, 8, number(t, want[1]))
	for i, v := range numbers(t, want[2]) {
		at(collective.AllReduce, 5+i, v)
	}
	for ranks := 2; ranks <= 4; ranks++ {
		at(collective.AllReduce, ranks, number(t, want[3]))
	}
}
