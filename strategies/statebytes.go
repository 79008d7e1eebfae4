package strategies

import (
	"planner/costmodel"
	"planner/hardware/unit"
)

// StateBytes returns the weights, gradients, master weights and moments that
// one rank holds of params parameters when ZeRO stage zero splits them over
// shard ranks, by the element types of the framework, nothing fitted. Parameters are those
// left after tensor and pipeline parallelism. Frozen parameters have weights
// alone. It is a lower bound of a rank's memory: activations, logits, buffers,
// fragmentation and the runtime come on top.
func (f *Profile) StateBytes(params float64, zero, shard int, frozen bool, off Offload) Memory {
	p := &Problem{Work: Workload{Forward: frozen}}
	s := &site{p: p, prof: f, fit: &ProfileFit{}, l: Layout{TP: 1, PP: 1, VPP: 1, CP: 1, EP: 1, ETP: 1, DP: shard, Zero: zero, Shard: shard, Offload: off}}
	var m Memory
	s.stateMemory(&m, &held{dense: params})
	m.Buffers = 0
	return m
}

// State returns the sum of weights, gradients, master weights and moments.
func (m *Memory) State() unit.Bytes { return m.Weights + m.Gradients + m.Master + m.Moments }

// LargestModule returns the parameters of the largest single module, which
// DeepSpeed's estimator calls the largest layer: the embedding, or one matrix of
// an attention or an MLP.
func LargestModule(m *costmodel.Model) int64 {
	most := m.Embedding()
	for i := range m.Kinds {
		k := &m.Kinds[i]
		most = max(most, int64(m.Hidden)*int64(max(k.FFN.Width, k.FFN.Shared, k.FFN.ExpertWidth, k.Mixer.Heads*k.Mixer.HeadDim)))
	}
	return most
}

// DeepSpeedEstimate returns what DeepSpeed's own estimator prints for a GPU:
// estimate_zero2_model_states_mem_needs and estimate_zero3_… (runtime/zero/
// stage_1_and_2.py and stage3.py), for params parameters over ranks GPUs, the
// largest layer of largest parameters:
//
//	zero=2: 4P + 16P/N; 2P with the optimizer offloaded
//	zero=3: 18P/N + 4L; 2P/N + 4L; 4L with parameters offloaded too
//
// Its zero=2 replicates gradients that stage 2 splits; StateBytes does not.
// Measured runs take more than either, by activations, logits and buffers.
func DeepSpeedEstimate(params, largest float64, zero, ranks int, off Offload) unit.Bytes {
	n := float64(ranks)
	switch {
	case zero == 2 && off == OffloadNone:
		return unit.Bytes(4*params + 16*params/n)
	case zero == 2:
		return unit.Bytes(2 * params)
	case off == OffloadNone:
		return unit.Bytes(18*params/n + 4*largest)
	case off == OffloadOptimizer:
		return unit.Bytes(2*params/n + 4*largest)
	}
	return unit.Bytes(4 * largest)
}
