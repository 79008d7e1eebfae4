package validate

import (
	"planner/costmodel"
	"planner/strategies"
)

// counted returns what the memory figure of the row counts, by its kind:
// "required" is worked out by formula for the layers alone (Korthikanti et al.
// 2022, figure 1); what a framework prints is its rank 0, which some have on
// the first stage.
func (c *Case) counted() strategies.Counted {
	switch k := c.Run.MemoryKind; {
	case k == "required":
		return strategies.LayersAlone
	case k == "unknown" && c.Profile.Memory.PrintsFirst:
		return strategies.FirstStage
	}
	return strategies.Fullest
}

// optimizer: NVIDIA's recipes for sparse models with latent attention keep
// gradients and moments in 16 bits (Megatron-Bridge, recipes/deepseek and
// recipes/moonlight: precision-aware optimizer). A row follows its recipe where
// it leaves the optimizer open.
func (c *Case) optimizer() {
	if c.asked {
		return
	}
	k := &c.Model.Kinds[len(c.Model.Kinds)-1]
	if c.Run.Zero == "" && c.Run.Framework == "megatron" && c.modern() && k.Mixer.Kind == costmodel.MLA && k.FFN.Experts > 0 {
		c.Work.ShortState = true
		c.assume("optimizer", "gradients and moments in 16 bits")
	}
}

// Comparable returns the part of a predicted memory that a row's kind of
// measurement shows, in GiB: the tensors where it is "allocated" or
// "required"; with the allocator's losses where it is "reserved", or
// "unknown", which are figures that frameworks print; all that the process
// takes where it is "rounded" (nvidia-smi) or not given.
func (c *Case) Comparable(m *strategies.Memory) float64 {
	switch c.Run.MemoryKind {
	case "allocated", "required":
		return m.Allocated().GiB()
	case "reserved", "unknown":
		return (m.Allocated() + m.Fragmentation).GiB()
	}
	return m.Total().GiB()
}
