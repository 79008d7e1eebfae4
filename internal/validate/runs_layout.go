package validate

import (
	"strconv"
	"strings"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
)

// orAssume returns the value given, or the default, which it books.
func (c *Case) orAssume(column string, given, def int) int {
	if given > 0 {
		return given
	}
	c.assume(column, strconv.Itoa(def))
	return def
}

// modern reports whether the accelerator is of a generation whose published
// runs follow NVIDIA's later recipes: Transformer Engine, SP, FP8.
func (c *Case) modern() bool {
	a := c.Cluster.GPU.Arch
	return a == "hopper" || strings.HasPrefix(a, "blackwell")
}

func (c *Case) workload() {
	r := c.Run
	c.Work = strategies.Workload{Seq: r.Seq, GlobalBatch: r.GlobalBatch}
	c.Work.Precision = c.precision()
	c.Work.Attention = c.kernel()
	c.Work.UnfusedNorm = c.unfusedNorm()
	c.Work.Plain = !c.Model.Kinds[0].LayerNorm && r.Framework == "megatron" && !c.modern() && !c.asked
	c.Work.LayersOnly = c.Model.Layers() == 1
	c.optimizer()
}

// precision: FP8 where NVIDIA's recipes on Hopper and later use it, fp16 in
// the DeepSpeed runs of 2022, else bf16.
func (c *Case) precision() hardware.Precision {
	if p, ok := hardware.ParsePrecision(c.Run.Precision); ok {
		return p
	}
	p := hardware.BF16
	switch {
	case c.Run.Framework == "megatron" && c.modern():
		p = hardware.FP8
	case c.Run.Framework == "megatron-deepspeed":
		p = hardware.FP16
	}
	c.assume("precision", p.String())
	return p
}

// fusedSoftmaxKeys is the longest sequence that Megatron's fused softmax took
// when runs without flash attention were published (megatron/fused_kernels,
// 2022).
const fusedSoftmaxKeys = 2048

// kernel returns the attention kernel: the kernel column, or what frameworks
// ran where only "flash" or "unfused" is given, or their default.
func (c *Case) kernel() kernel.AttentionKernel {
	r := c.Run
	name, _, _ := strings.Cut(r.Kernel, "+")
	if k, ok := kernel.ParseAttentionKernel(name); ok && k != kernel.Usual {
		return k
	}
	k := kernel.Usual
	switch {
	case c.asked && r.Attention == "": // as explain takes it
	case r.Attention == "unfused" || r.Attention == "" && r.Framework == "megatron-deepspeed":
		k = kernel.FusedSoftmax
		if r.Seq > fusedSoftmaxKeys {
			k = kernel.Unfused
		}
	case r.Framework == "fsdp":
		k = kernel.Triton // the recipe of published FSDP tables of 2023
	case r.Framework == "torchtitan":
		k = kernel.SDPA
	case r.Framework == "megatron" && c.modern():
		k = kernel.TE
	case c.Cluster.GPU.Arch == "ampere":
		k = kernel.Flash2
	}
	c.assume("kernel", k.String())
	return k
}

// unfusedNorm: kernels of Megatron before Transformer Engine left RMSNorm to
// PyTorch unless the row says "+rmsnorm".
func (c *Case) unfusedNorm() bool {
	r := c.Run
	if c.asked || c.Model.Kinds[0].LayerNorm || strings.HasSuffix(r.Kernel, "+rmsnorm") {
		return false
	}
	name, _, _ := strings.Cut(r.Kernel, "+")
	switch name {
	case "flash1", "flash2", "fused-softmax", "unfused":
		return r.Framework == "megatron"
	}
	return false
}

// layout fills the layout in and checks what a prediction needs of it.
func (c *Case) layout() error {
	r := c.Run
	l := strategies.Layout{
		TP: c.orAssume("tp", r.TP, 1), PP: c.orAssume("pp", r.PP, 1), VPP: max(1, r.VPP),
		CP: c.orAssume("cp", r.CP, 1), EP: c.orAssume("ep", r.EP, 1), MBS: c.orAssume("mbs", r.MBS, 1),
	}
	inner := l.TP * l.PP * l.CP
	l.DP = c.orAssume("dp", r.DP, max(1, r.GPUs/inner))
	if inner*l.DP != r.GPUs {
		return catalog.Errorf("tp·pp·cp·dp = %d·%d·%d·%d = %d: not the %d GPUs of the row", l.TP, l.PP, l.CP, l.DP, inner*l.DP, r.GPUs)
	}
	c.chunks(&l)
	if l.PP == 1 {
		l.VPP = 1
	}
	l.Schedule = strategies.DefaultSchedule(l.VPP)
	c.sequence(&l)
	c.zero(&l)
	c.recompute(&l)
	if err := c.experts(&l); err != nil {
		return err
	}
	c.Layout = l
	return c.check()
}

// chunks: NVIDIA's recipes on Hopper and later interleave chunks of two layers
// where they divide and the micro-batches are whole rounds; else one chunk.
func (c *Case) chunks(l *strategies.Layout) {
	r := c.Run
	if r.VPP > 0 || l.PP == 1 {
		return
	}
	chunks := c.Model.Layers() / (2 * l.PP)
	rounds := r.GlobalBatch / (l.DP * l.MBS)
	if r.Framework == "megatron" && c.modern() && chunks > 1 && c.Model.Layers()%(2*l.PP) == 0 && rounds > 0 && rounds%l.PP == 0 {
		l.VPP = chunks
	}
	c.assume("vpp", strconv.Itoa(l.VPP))
}

// check refuses what no step can be made of.
func (c *Case) check() error {
	l, r := &c.Layout, c.Run
	if r.GlobalBatch < l.DP*l.MBS {
		return catalog.Errorf("gbs %d: less than one micro-batch of %d on each of %d data-parallel ranks", r.GlobalBatch, l.MBS, l.DP)
	}
	return nil
}

// sequence: NVIDIA's recipes on Hopper and later and nanotron's default split
// the sequence with TP; the flags of 2021 to 2023 leave it off.
func (c *Case) sequence(l *strategies.Layout) {
	r := c.Run
	l.SP = l.TP > 1 && r.SP == "1"
	if l.TP > 1 && r.SP == "" {
		switch r.Framework {
		case "megatron":
			l.SP = c.modern()
		case "nanotron", "torchtitan":
			l.SP = true
		}
		c.assume("sp", map[bool]string{true: "1", false: "0"}[l.SP])
	}
}

// zero: NVIDIA's recipes on Hopper and later shard the optimizer, FSDP shards
// all; other frameworks' flags default to 0.
func (c *Case) zero(l *strategies.Layout) {
	r := c.Run
	if r.Zero != "" {
		l.Zero, _ = strconv.Atoi(r.Zero)
	} else {
		switch {
		case r.Framework == "fsdp" || r.Framework == "torchtitan":
			l.Zero = 3
		case r.Framework == "megatron" && c.modern():
			l.Zero = 1
		}
		c.assume("zero", strconv.Itoa(l.Zero))
	}
	l.Shard = l.DataRanks()
	if r.Shard > 0 && l.DataRanks()%r.Shard == 0 {
		l.Shard = r.Shard
	}
}

// recompute is off in every profile's recipe but those of the DeepSpeed
// tutorials and of BLOOM.
func (c *Case) recompute(l *strategies.Layout) {
	r := c.Run
	switch {
	case r.Recompute == "full" || r.Recompute == "" && strings.HasSuffix(r.Framework, "deepspeed"):
		l.Recompute = strategies.RecomputeFull
	case r.Recompute == "selective":
		l.Recompute = strategies.RecomputeSelective
	}
	if r.Recompute == "" {
		c.assume("recompute", l.Recompute.String())
	}
}
