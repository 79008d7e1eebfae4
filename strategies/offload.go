package strategies

import (
	"planner/hardware/unit"
)

// offload moves state to host memory (DeepSpeed ZeRO-Offload; Ren et al. 2021,
// arXiv 2101.06840): optimizer state with the fp32 gradients it reads, then
// parameters. trained is the parameters of a rank that have gradients: ZeRO-1
// keeps those, whole and at the model's size, until the step takes its share
// (DeepSpeed runtime/zero/stage_1_and_2.py, reduce_ipg_grads without
// partition_gradients).
func (s *site) offload(m *Memory, trained float64) {
	if s.l.Offload >= OffloadOptimizer {
		m.Master, m.Moments, m.Gradients = 0, 0, 0
		if s.l.Zero == 1 {
			m.Gradients = bytesOf(trained, s.model)
		}
	}
	if s.l.Offload == OffloadAll {
		m.Weights = 0
	}
}

// hostAdam is the optimizer on the CPU for n parameters: 4 bytes of gradient each
// over the host link and the weight back, and 30 bytes at the host memory's share
// of one GPU, taken as 25 GB/s (8 GPUs on a 12-channel DDR5 socket pair of which
// CPU-Adam reaches a half; Ren et al. 2021, section 5).
func (s *site) hostAdam(n float64) unit.Seconds {
	link := unit.Bytes((4 + s.model.Size()) * n).Over(s.p.Cluster.GPU.PCIe)
	return link + unit.Bytes(adamBytes*n).Over(25*unit.GBps)
}

// hostCopies is how long the host link takes in a micro-batch: for the parameters
// of a pass, which are copied to the GPU before they are gathered (DeepSpeed
// runtime/zero/partition_parameters.py), and for the gradients summed so far,
// which the next ones are added to on the GPU and which go back (stage3.py,
// partition_grads; stage_1_and_2.py, async_accumulate_grad_in_cpu_via_gpu). The
// link carries both directions at once.
type hostCopies struct{ params, grads unit.Seconds }

func (s *site) hostCopies(h *held) (c hostCopies) {
	l := &s.l
	if l.Offload == OffloadNone || l.Zero < 2 {
		return c
	}
	n := s.updates(h)
	over := func(elements float64) unit.Seconds { return bytesOf(elements, s.model).Over(s.p.Cluster.GPU.PCIe) }
	c.grads = over(n * s.p.Work.Trained())
	if l.Offload == OffloadAll {
		c.params = over(n)
	}
	return c
}

// copied returns what the copies of a micro-batch take beyond the passes that
// they run beside. The first micro-batch adds to no gradients.
func (r *run) copied(i int, s *stageRun) unit.Seconds {
	c, pass := &r.state.held[i].copies, s.time().Plus(s.data)
	wait := max(0, c.params-pass.Fwd)
	if r.p.Work.Forward {
		return wait
	}
	return wait + max(0, c.params+c.grads.Times((r.m-1)/r.m)-pass.Bwd)
}

// HostState returns what the host keeps of one rank of the fullest stage of a
// legal layout: master weights, moments and 32-bit gradients, and with them the
// parameters (Ren et al. 2021, section 3).
func (p *Problem) HostState(l Layout, prof *Profile) (most unit.Bytes) {
	if l.Offload == OffloadNone {
		return 0
	}
	s := newSite(p, prof, l)
	each := s.momentBytes() + 8
	if p.Work.Forward {
		each = 0
	}
	each *= p.Work.Trained()
	if l.Offload == OffloadAll {
		each += s.model.Size()
	}
	c := p.chainOf(&l, prof)
	for i := range c.stages {
		h := s.heldBy(&c.stages[i])
		most = max(most, unit.Bytes(s.updates(&h)*each))
	}
	return most
}
