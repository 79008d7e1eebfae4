package show

import (
	"testing"

	"planner/costmodel/collective"
	"planner/hardware"
)

// The formulas of wire bytes are those of nccl-tests (doc/PERFORMANCE.md).
func TestWireFormula(t *testing.T) {
	for op, want := range map[collective.Op]string{
		collective.AllReduce:     "2(n−1)/n × M = 2·3/4 × 1 MB",
		collective.ReduceScatter: "(n−1)/n × M = 3/4 × 1 MB",
		collective.AllToAll:      "(n−1)/n × M = 3/4 × 1 MB",
		collective.Broadcast:     "M = 1 MB",
		collective.Send:          "M = 1 MB",
		collective.Recv:          "0 (a receive sends nothing)",
	} {
		c := collective.Call{Op: op, Bytes: 1e6, Span: hardware.Span{Size: 4}}
		if got := WireFormula(&c); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
}

// A call of 1 s latency that carries 10 MB in 2 s more, four times.
func TestCallNumbers(t *testing.T) {
	c := collective.Call{Op: collective.Recv, Bytes: 1e7, Count: 4, Price: collective.Price{Seconds: 3, Latency: 1, LinkBytes: 1e7}}
	if got, want := CallNumbers(&c), "4 × (10 MB / 5 MB/s + 1 s)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.Latency = 3
	if got, want := CallNumbers(&c), "4 × (10 MB / — + 3 s)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
