package strategies

import (
	"fmt"

	"planner/costmodel"
)

// Rule names a reason for which a layout is refused; searches count them.
type Rule string

// The rules, in the order in which they are tried.
const (
	RuleWorld     Rule = "world"         // tp·cp·pp·dp is not the number of GPUs
	RuleHeads     Rule = "heads"         // heads against TP
	RuleExperts   Rule = "experts"       // experts against EP, or a fold that does not divide
	RuleSequence  Rule = "sequence"      // sequence against CP or SP
	RuleLayers    Rule = "layers"        // layers against PP·VPP
	RuleBatch     Rule = "batch"         // batch against DP·MBS
	RuleFill      Rule = "micro-batches" // micro-batches against PP
	RuleShard     Rule = "shard"         // shard against DP·CP
	RuleSP        Rule = "sp"            // sequence parallelism without TP
	RuleFramework Rule = "framework"     // what the framework cannot run
	RuleEmpty     Rule = "empty-stage"   // a stage would hold nothing to train
	RuleExcluded  Rule = "excluded"      // refused by a constraint of the user's
)

// Violation says why a layout is illegal, and what would be legal.
type Violation struct {
	Rule   Rule
	Given  string // the offending pairs, such as "tp=3"
	Reason string
	Remedy string
	// Offers are the changes that Remedy names, where it is made of such: each
	// was found to mend this violation, not what else may be wrong.
	Offers []string
	Hint   string // what follows on them in Remedy
}

// Error prints the violation without the flag that the layout came from.
func (v *Violation) Error() string {
	return fmt.Sprintf("%q: %s: %s", v.Given, v.Reason, v.Remedy)
}

// Check returns the first rule that l breaks under profile, or nil.
func (p *Problem) Check(l *Layout, profile *Profile) *Violation {
	for _, rule := range []func(*Layout, *Profile) *Violation{
		p.checkWorld, p.checkHeads, p.checkExperts, p.checkSequence, p.checkLayers, p.checkBatch, p.checkShard, p.checkFramework,
	} {
		if v := rule(l, profile); v != nil {
			return v
		}
	}
	return nil
}

func (p *Problem) checkWorld(l *Layout, _ *Profile) *Violation {
	if l.World() != p.Cluster.GPUs {
		return worldViolation(l, p.Cluster.GPUs)
	}
	return nil
}

// TPFits reports whether tensor parallelism of degree tp splits every layer:
// query heads divide, and key/value heads divide or are replicated evenly.
func TPFits(m *costmodel.Model, tp int) bool {
	for i := range m.Kinds {
		x := &m.Kinds[i].Mixer
		if x.Kind == costmodel.NoMixer {
			continue
		}
		if x.Heads%tp != 0 {
			return false
		}
		if kv := x.KVHeads; x.Kind != costmodel.MLA && kv > 0 && kv%tp != 0 && tp%kv != 0 {
			return false
		}
		if f := &m.Kinds[i].FFN; f.Width%tp != 0 || f.Shared%tp != 0 {
			return false
		}
	}
	return true
}

func (p *Problem) checkHeads(l *Layout, _ *Profile) *Violation {
	if TPFits(p.Model, l.TP) {
		return nil
	}
	var fits []int
	for tp := 1; tp <= 1024; tp++ {
		if TPFits(p.Model, tp) && p.Cluster.GPUs%tp == 0 {
			fits = append(fits, tp)
		}
	}
	return offering(RuleHeads, pair("tp", l.TP), fmt.Sprintf("%s are not divisible by %d", headCounts(p.Model, l.TP), l.TP), uses("tp=", fits...)...)
}

func headCounts(m *costmodel.Model, tp int) string {
	x := m.Kinds[0].Mixer
	for i := range m.Kinds {
		if m.Kinds[i].Mixer.Kind != costmodel.NoMixer {
			x = m.Kinds[i].Mixer
			break
		}
	}
	switch {
	case x.Heads%tp == 0 && (x.KVHeads%tp == 0 || tp%max(1, x.KVHeads) == 0):
		return "MLP widths"
	case x.KVHeads == x.Heads || x.Kind == costmodel.MLA:
		return fmt.Sprintf("%d heads", x.Heads)
	}
	return fmt.Sprintf("%d heads and %d KV heads", x.Heads, x.KVHeads)
}

func (p *Problem) checkSequence(l *Layout, _ *Profile) *Violation {
	seq := p.Work.Seq
	switch {
	case l.CP > 1 && seq%(2*l.CP) != 0:
		return offering(RuleSequence, pair("cp", l.CP), fmt.Sprintf("a sequence of %d does not split into 2·cp = %d balanced chunks", seq, 2*l.CP),
			uses("cp=", nearest2(l.CP, func(n int) bool { return n == 1 || seq%(2*n) == 0 && p.Cluster.GPUs%n == 0 })...)...)
	case l.SP && l.TP == 1:
		return offering(RuleSP, "sp=true", "sequence parallelism needs tp>1",
			append(uses("tp=", nearest2(1, func(n int) bool { return TPFits(p.Model, n) && p.Cluster.GPUs%n == 0 })...), "drop sp")...)
	case l.SP && seq/l.CP%l.TP != 0:
		return offering(RuleSequence, pair("tp", l.TP), fmt.Sprintf("%d tokens a rank do not split over tp with sequence parallelism", seq/l.CP),
			append([]string{"use sp=false"}, uses("tp=", below(l.TP, func(n int) bool { return seq/l.CP%n == 0 && TPFits(p.Model, n) }))...)...)
	case l.CP > 1 && !scanFits(p.Model, l):
		return offering(RuleHeads, pair("cp", l.CP), fmt.Sprintf("the heads or groups of a Mamba-2 layer do not split over tp·cp = %d", l.TP*l.CP),
			append(uses("cp=", below(l.CP, func(n int) bool { c := *l; c.CP = n; return scanFits(p.Model, &c) })),
				uses("tp=", below(l.TP, func(n int) bool { c := *l; c.TP = n; return scanFits(p.Model, &c) }))...)...)
	case l.CP > 1 && l.CPKind == CPA2A && !ulyssesFits(p.Model, l):
		return offering(RuleHeads, "cpkind=a2a", fmt.Sprintf("Ulysses splits heads: %s over tp·cp = %d", headCounts(p.Model, l.TP*l.CP), l.TP*l.CP),
			append([]string{"use cpkind=p2p", "use cpkind=allgather"}, uses("cp=", below(l.CP, func(n int) bool { return TPFits(p.Model, l.TP*n) }))...)...)
	}
	return nil
}

// scanFits reports whether context parallelism can deal out the heads of Mamba-2
// layers, and their groups or copies of them (Megatron-LM
// core/ssm/mamba_context_parallel.py).
func scanFits(m *costmodel.Model, l *Layout) bool {
	for i := range m.Kinds {
		x := &m.Kinds[i].Mixer
		groups := max(1, x.Groups/l.TP)
		if x.Kind == costmodel.Mamba2 && (x.Heads/l.TP%l.CP != 0 || groups%l.CP != 0 && l.CP%groups != 0) {
			return false
		}
	}
	return true
}

func ulyssesFits(m *costmodel.Model, l *Layout) bool { return TPFits(m, l.TP*l.CP) }

// batchRule returns the rule by which checkBatch refuses, "" for none: a search
// asks it of every layout, and explains one.
func (p *Problem) batchRule(l *Layout) Rule {
	switch unitBatch := l.DP * l.MBS; {
	case p.Work.GlobalBatch%unitBatch != 0:
		return RuleBatch
	case l.VPP > 1 && p.Work.GlobalBatch/unitBatch%l.PP != 0:
		return RuleFill
	}
	return ""
}

func (p *Problem) checkBatch(l *Layout, _ *Profile) *Violation {
	unitBatch := l.DP * l.MBS
	switch p.batchRule(l) {
	case "":
		return nil
	case RuleBatch:
		low := p.Work.GlobalBatch / unitBatch * unitBatch
		return offering(RuleBatch, fmt.Sprintf("dp=%d,mbs=%d", l.DP, l.MBS),
			fmt.Sprintf("a global batch of %d is not a multiple of dp·mbs = %d", p.Work.GlobalBatch, unitBatch), uses("--global-batch ", low, low+unitBatch)...)
	}
	ga := p.Work.GlobalBatch / unitBatch
	low := ga / l.PP * l.PP
	return offering(RuleFill, pair("vpp", l.VPP), fmt.Sprintf("%d micro-batches are no multiple of pp=%d, which interleaving needs", ga, l.PP),
		append(uses("--global-batch ", low*unitBatch, (low+l.PP)*unitBatch), "use vpp=1")...)
}

func (p *Problem) checkShard(l *Layout, f *Profile) *Violation {
	data := l.DataRanks()
	switch {
	case l.Zero == 0 && l.Shard != data:
		return offering(RuleShard, pair("shard", l.Shard), "nothing is split at zero=0", append([]string{"drop shard"}, uses("zero=", f.splitting()...)...)...)
	case l.Shard < 1 || data%l.Shard != 0:
		return offering(RuleShard, pair("shard", l.Shard), fmt.Sprintf("it does not divide dp·cp = %d", data),
			append(uses("shard=", nearest2(l.Shard, func(n int) bool { return n > 1 && data%n == 0 })...), "drop shard")...)
	case l.HPZ > 0 && (l.Zero != 3 || l.Shard%l.HPZ != 0):
		return offering(RuleShard, pair("hpz", l.HPZ), "a secondary shard needs zero=3 and divides shard", p.offerHPZ(l)...)
	case l.HPZ > 0 && l.Offload == OffloadAll:
		return offering(RuleShard, pair("hpz", l.HPZ), "hpZ keeps parameters on the GPU, offload=optimizer+param moves them off", "drop hpz", "drop offload")
	case l.Offload != OffloadNone && l.Zero == 0:
		return offering(RuleShard, "offload="+l.Offload.String(), "only ZeRO state is offloaded", append(uses("zero=", 1, 2, 3), "drop offload")...)
	case l.Offload == OffloadAll && l.Zero != 3:
		return offering(RuleShard, "offload="+l.Offload.String(), "parameters are offloaded by ZeRO-3 only", "use zero=3", "use offload=optimizer")
	}
	return nil
}

func moe(m *costmodel.Model) bool {
	for i := range m.Kinds {
		if m.Kinds[i].FFN.Experts > 0 {
			return true
		}
	}
	return false
}
