package strategies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// frameworkRules holds what frameworks differ in, in the order in which a
// refusal is explained.
var frameworkRules = []frameworkRule{
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return !slices.Contains(can.Stages, l.Zero) },
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("has no ZeRO-%d", l.Zero), "use zero=" + list(can.Stages)
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && !can.TP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("tp", l.TP), "has no tensor parallelism", "use tp=1 or another framework"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.TP > 1 && can.TPStages != nil && !slices.Contains(can.TPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with tp>1", l.Zero), "use zero=" + list(can.TPStages) + " or tp=1"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.PP > 1 && len(can.PPStages) == 0 },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("pp", l.PP), "has no pipeline parallelism", "use pp=1 or another framework"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && !slices.Contains(can.PPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with pp>1", l.Zero),
				"use zero=" + list(can.PPStages) + " or pp=1; torchtitan combines FSDP with pp"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.VPP > 1 && !can.VPP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("vpp", l.VPP), "does not interleave stages", "use vpp=1"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && !slices.Contains(can.Schedules, l.Schedule.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return "schedule=" + l.Schedule.String(), "has no such schedule", "use " + strings.Join(can.Schedules, ", ")
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.Zero > 0 && l.Shard < l.DataRanks() && !slices.Contains(can.Shards, l.Zero)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("shard", l.Shard), fmt.Sprintf("splits ZeRO-%d over all of dp·cp", l.Zero), "drop shard"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.HPZ > 0 && !can.HPZ },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("hpz", l.HPZ), "has no secondary shard", "use --framework deepspeed, or shard for HSDP"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.Offload != OffloadNone && !can.Offload },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return "offload=" + l.Offload.String(), "has no offload that is modelled", "use --framework deepspeed"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return (l.First > 0 || l.Last > 0) && !can.Uneven },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return splitString(l.First, l.Last), "splits layers evenly", "drop first and last"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && l.SP && can.SP == "never" },
		func(*Problem, *Layout, *Capabilities) (string, string, string) {
			return "sp=true", "has no sequence parallelism", "use sp=false"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.TP > 1 && !l.SP && can.SP == "always" },
		func(*Problem, *Layout, *Capabilities) (string, string, string) {
			return "sp=false", "always splits the sequence with tp", "drop sp"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.CP > 1 && !can.CP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("cp", l.CP), "has no context parallelism", "use cp=1 or another framework"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && !slices.Contains(can.CPKinds, l.CPKind.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return "cpkind=" + l.CPKind.String(), "does not exchange keys and values so", "use cpkind=" + strings.Join(can.CPKinds, " or ")
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && !can.Windows && partialAttention(p.Model)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("cp", l.CP), "drops the masks of sliding-window or recurrent layers under context parallelism",
				"use tp with sp, or --framework megatron, whose attention keeps windows under cp"
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.CP > 1 && l.CPKind == CPP2P && can.Windows && slides(p.Model)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return "cpkind=p2p", "has no sliding windows in a ring", "use cpkind=allgather or a2a"
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return l.PP > 1 && can.FillPipe && p.microBatches(l) < l.PP
	},
		func(p *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			ga := p.microBatches(l)
			return pair("pp", l.PP), fmt.Sprintf("refuses %d micro-batches (gradient accumulation steps) on %d stages", ga, l.PP),
				fmt.Sprintf("use --global-batch %d or more, or pp=%d", l.DP*l.MBS*l.PP, max(1, ga))
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.Split == "cost" && l.PP > 1 && p.emptyByCost(l.PP)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("pp", l.PP), "balances stages by the cost of layers and head: a stage would hold no trainable parameters",
				"use pp=1, or a framework that balances by layers"
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.Even2CP && p.Work.Seq%(2*l.CP*l.TP) != 0
	},
		func(p *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return degrees(&Layout{TP: l.TP, CP: l.CP}), fmt.Sprintf("needs a sequence that divides by 2·cp·tp = %d, not %d", 2*l.CP*l.TP, p.Work.Seq),
				"use a multiple of it as --seq-len, or smaller degrees"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool { return l.EP > 1 && !can.EP },
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("ep", l.EP), "has no expert parallelism", "use ep=1 or another framework"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.ETP != l.TP && l.ETP != 1 && !can.ETP
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("etp", l.ETP), "ties etp to tp or 1", "drop etp"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return l.EP > 1 && can.EPStages != nil && !slices.Contains(can.EPStages, l.Zero)
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return fmt.Sprintf("zero=%d", l.Zero), fmt.Sprintf("cannot combine ZeRO-%d with ep>1", l.Zero), "use zero=" + list(can.EPStages) + " or ep=1"
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		return can.PlainEP3 && l.EP > 1 && l.Zero == 3 && (l.CP > 1 || l.HPZ > 0 || l.Shard < l.DataRanks())
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return pair("ep", l.EP), "combines ep>1 with ZeRO-3 only without cp, hpz and shard", "use zero=2, or drop those"
		}},
	{func(p *Problem, l *Layout, can *Capabilities) bool {
		return can.WholeExperts && moe(p.Model) && l.ETP != wholeETP(l)
	},
		func(_ *Problem, l *Layout, _ *Capabilities) (string, string, string) {
			return fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), "splits experts over tp only where ep=1, and then over all of it", pair("use etp", wholeETP(l))
		}},
	{func(_ *Problem, l *Layout, can *Capabilities) bool {
		exchanges := l.EP > 1 || l.ETP > 1 && l.Dispatcher != DispatchAllToAll
		return exchanges && !slices.Contains(can.Dispatch, l.Dispatcher.String())
	},
		func(_ *Problem, l *Layout, can *Capabilities) (string, string, string) {
			return "dispatcher=" + l.Dispatcher.String(), "has no such dispatcher", "use " + strings.Join(can.Dispatch, " or ")
		}},
}

// wholeETP returns the ETP of a framework that splits experts over EP or, where
// that is 1, over TP.
func wholeETP(l *Layout) int {
	if l.EP > 1 {
		return 1
	}
	return l.TP
}

func pair(key string, value int) string { return key + "=" + strconv.Itoa(value) }

// microBatches returns GA = GBS/(DP·MBS), rounded down.
func (p *Problem) microBatches(l *Layout) int { return p.Work.GlobalBatch / (l.DP * l.MBS) }
