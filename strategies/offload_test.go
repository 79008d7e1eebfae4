package strategies_test

import (
	"math"
	"testing"
)

// TestOffloadedParametersAreCopied: before a layer is gathered its rank's share
// crosses the host link: Llama-3.1-70B's 70.55e9 parameters on two ranks are
// 70.55 GB each, 1.12 s over the 63 GB/s of PCIe 5 in every pass.
func TestOffloadedParametersAreCopied(t *testing.T) {
	q := question("llama3.1-70b", "h100-sxm-80gb", "deepspeed", 2, 2, 512)
	q.Pass = "forward"
	if _, e := estimateOf(t, q, "zero=3,offload=optimizer+param"); e.Step < 1.12 {
		t.Errorf("a forward pass takes %v, its copies alone 1.12 s", e.Step)
	}
	q = question("llama3.1-70b", "h100-sxm-80gb", "deepspeed", 2, 16, 512)
	_, some := estimateOf(t, q, "zero=3,recompute=full,offload=optimizer")
	_, all := estimateOf(t, q, "zero=3,recompute=full,offload=optimizer+param")
	if passes := all.Step - all.Optimizer; passes < 8*2*1.12 || all.Step <= some.Step {
		t.Errorf("eight micro-batches take %v, their copies alone 17.9 s; %v without parameters", passes, some.Step)
	}
}

// TestStageOneKeepsGradients: DeepSpeed's ZeRO-1 with the optimizer offloaded
// keeps the 16-bit gradients of all 8.03e9 parameters on the GPU, ZeRO-2 those of
// none (stage_1_and_2.py, reduce_ipg_grads).
func TestStageOneKeepsGradients(t *testing.T) {
	q := question("llama3.1-8b", "h100-sxm-80gb", "deepspeed", 8, 64, 8192)
	for layout, want := range map[string]float64{"zero=1,offload=optimizer": 14.96, "zero=2,offload=optimizer": 0} {
		if _, e := estimateOf(t, q, layout); math.Abs(e.Memory.Gradients.GiB()-want) > 0.01 {
			t.Errorf("%s: %.2f GiB of gradients, want %.2f", layout, e.Memory.Gradients.GiB(), want)
		}
	}
}

// TestHostKeepsState: 16 bytes a parameter, and 2 more where parameters are there
// too (Ren et al. 2021, section 3).
func TestHostKeepsState(t *testing.T) {
	q := question("llama3.1-8b", "h100-sxm-80gb", "deepspeed", 8, 64, 8192)
	for layout, want := range map[string]float64{"zero=3": 0, "zero=3,offload=optimizer": 16, "zero=3,offload=optimizer+param": 18} {
		a, e := estimateOf(t, q, layout)
		if got := float64(a.Problem.HostState(e.Layout, e.Framework)) / (8.030261248e9 / 8); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: %.3f bytes a parameter, want %g", layout, got, want)
		}
	}
}

// TestReplicasKeepCopies: where FSDP's profile splits nothing, the 16-bit copies of
// its fp32 weights live from the forward to the backward pass, 14.96 GiB of
// 8.03e9 parameters.
func TestReplicasKeepCopies(t *testing.T) {
	_, e := estimateOf(t, question("llama3.1-8b", "h100-sxm-80gb", "fsdp", 8, 64, 8192), "dp=8,zero=0")
	if got := e.Memory.Buffers.GiB(); got < 14.95 {
		t.Errorf("%.2f GiB of buffers, want 14.96 and more", got)
	}
}
