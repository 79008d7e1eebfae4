package kernel

import (
	"math"
	"testing"

	"planner/hardware"
	"planner/hardware/unit"
)

// TestUnaligned follows the 16 bytes that tensor cores load at a time: GPT-2's
// 50,257 tokens begin rows at odd elements, padded to 50,304 they do not.
func TestUnaligned(t *testing.T) {
	d := NewDevice(&hardware.Accelerator{SMs: 108, MemoryBandwidth: 2039 * unit.GBps}, hardware.BF16, Constants{Unaligned: 2})
	for _, c := range []struct{ width, want float64 }{
		{50257, 2}, {50304, 1}, {25128, 1}, {12564, 1 + 1.0/3}, {6282, 1 + 2.0/3}, {0, 1},
	} {
		if got := d.Unaligned(c.width); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Unaligned(%v) = %v, want %v", c.width, got, c.want)
		}
	}
	none := NewDevice(&hardware.Accelerator{SMs: 108}, hardware.BF16, Constants{})
	if got := none.Unaligned(50257); got != 1 {
		t.Errorf("without a constant: %v, want 1", got)
	}
}
