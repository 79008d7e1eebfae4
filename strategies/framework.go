package strategies

import (
	"fmt"
	"slices"
	"strconv"
)

// frameworkRules holds what frameworks differ in, in the order in which a
// refusal is explained.
var frameworkRules = []frameworkRule{
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return !slices.Contains(can.Stages, l.Zero) },
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("has no ZeRO-%d", l.Zero), uses("zero=", can.Stages...)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && !can.TP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("tp", l.TP), "has no tensor parallelism", []string{"use tp=1", " or another framework"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.TP > 1 && can.TPStages != nil && !slices.Contains(can.TPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with tp>1", l.Zero), append(uses("zero=", can.TPStages...), "use tp=1")
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.PP > 1 && len(can.PPStages) == 0 },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("pp", l.PP), "has no pipeline parallelism", []string{"use pp=1", " or another framework"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && !slices.Contains(can.PPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with pp>1", l.Zero), append(uses("zero=", can.PPStages...), "use pp=1", "; torchtitan combines FSDP with pp")
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.VPP > 1 && !can.VPP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("vpp", l.VPP), "does not interleave stages", []string{"use vpp=1"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && !slices.Contains(can.Schedules, l.Schedule.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return "schedule=" + l.Schedule.String(), "has no such schedule", words("schedule=", can.Schedules)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.Zero > 0 && l.Shard < l.DataRanks() && !slices.Contains(can.Shards, l.Zero)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("shard", l.Shard), fmt.Sprintf("splits ZeRO-%d over all of dp·cp", l.Zero), []string{"drop shard"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.HPZ > 0 && !can.HPZ },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("hpz", l.HPZ), "has no secondary shard", []string{"drop hpz"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.Offload != OffloadNone && !can.Offload },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return "offload=" + l.Offload.String(), "has no offload that is modelled", []string{"drop offload"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return (l.First > 0 || l.Last > 0) && !can.Uneven },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return splitString(l.First, l.Last), "splits layers evenly", []string{"drop " + ends(l)}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return can.PlainCP && l.CP > 1 && l.TP*l.PP > 1
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return degrees(l), "exchanges sequences only without tp and pp", []string{"use tp=1,pp=1", "use cp=1"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && l.SP && can.SP == "never" },
		func(*Problem, *Layout, *Capabilities) (string, string, []string) {
			return "sp=true", "has no sequence parallelism", []string{"use sp=false"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && !l.SP && can.SP == "always" },
		func(*Problem, *Layout, *Capabilities) (string, string, []string) {
			return "sp=false", "always splits the sequence with tp", []string{"drop sp"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.CP > 1 && !can.CP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("cp", l.CP), "has no context parallelism", []string{"use cp=1", " or another framework"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && !slices.Contains(can.CPKinds, l.CPKind.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return "cpkind=" + l.CPKind.String(), "does not exchange keys and values so", words("cpkind=", can.CPKinds)
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && !can.Windows && partialAttention(p.Model)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("cp", l.CP), "drops the masks of sliding-window or recurrent layers under context parallelism",
				[]string{"use cp=1", ", or tp with sp, or --framework megatron, whose attention keeps windows under cp"}
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && l.CPKind == CPP2P && can.Windows && slides(p.Model)
	},
		func(*Problem, *Layout, *Capabilities) (string, string, []string) {
			return "cpkind=p2p", "has no sliding windows in a ring", words("cpkind=", []string{"allgather", "a2a"})
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && can.FillPipe && p.microBatches(l) < l.PP
	},
		func(p *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			ga := p.microBatches(l)
			return pair("pp", l.PP), fmt.Sprintf("refuses %d micro-batches (gradient accumulation steps) on %d stages", ga, l.PP),
				append(uses("--global-batch ", l.DP*l.MBS*l.PP), uses("pp=", below(ga+1, func(n int) bool { return p.Model.Layers()%n == 0 }))...)
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.Split == "cost" && l.PP > 1 && p.emptyByCost(l.PP)
	},
		func(p *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("pp", l.PP), "balances stages by the cost of layers and head: a stage would hold no trainable parameters",
				append(uses("pp=", below(l.PP, func(n int) bool { return n == 1 || !p.emptyByCost(n) })), ", or a framework that balances by layers")
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.Even2CP && p.Work.Seq%(2*l.CP*l.TP) != 0
	},
		func(p *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return degrees(&Layout{TP: l.TP, CP: l.CP}), fmt.Sprintf("needs a sequence that divides by 2·cp·tp = %d, not %d", 2*l.CP*l.TP, p.Work.Seq),
				p.offerEven(l)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.EP > 1 && !can.EP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("ep", l.EP), "has no expert parallelism", []string{"use ep=1", " or another framework"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.ETP != l.TP && l.ETP != 1 && !can.ETP
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("etp", l.ETP), "ties etp to tp or 1", []string{"drop etp"}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.EP > 1 && can.EPStages != nil && !slices.Contains(can.EPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with ep>1", l.Zero), append(uses("zero=", can.EPStages...), "use ep=1")
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return can.PlainEP3 && l.EP > 1 && l.Zero == 3 && (l.CP > 1 || l.HPZ > 0 || l.Shard < l.DataRanks())
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return pair("ep", l.EP), "combines ep>1 with ZeRO-3 only without cp, hpz and shard", []string{"use zero=2", ", or drop those"}
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.WholeExperts && moe(p.Model) && l.ETP != wholeETP(l)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, []string) {
			return fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), "splits experts over tp only where ep=1, and then over all of it", []string{pair("use etp", wholeETP(l))}
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return expertRanks(l, can)%(l.EP*l.ETP) != 0
	},
		func(p *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), fmt.Sprintf("deals experts out within one copy of the state, of %s = %d, which ep·etp = %d does not divide", expertAxes(l), expertRanks(l, can), l.EP*l.ETP),
				p.offerExpertRanks(l, can)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		exchanges := l.EP > 1 || l.ETP > 1 && l.Dispatcher != DispatchAllToAll
		return exchanges && !slices.Contains(can.Dispatch, l.Dispatcher.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, []string) {
			return "dispatcher=" + l.Dispatcher.String(), "has no such dispatcher", words("dispatcher=", can.Dispatch)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return can.ShardCP && l.CP > 1 && l.Zero == 0
	},
		func(_ *Problem, _ *Layout, can *Capabilities) (string, string, []string) {
			return "zero=0", "always splits ZeRO state over the ranks of cp", append(uses("zero=", can.splitting()...), "use cp=1")
		}},
}

func pair(key string, value int) string { return key + "=" + strconv.Itoa(value) }

// microBatches returns GA = GBS/(DP·MBS), rounded down.
func (p *Problem) microBatches(l *Layout) int { return p.Work.GlobalBatch / (l.DP * l.MBS) }
