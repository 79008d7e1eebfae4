package costmodel

import "planner/hardware/unit"

// Schedule is the order of forward and backward passes of a pipeline rank.
type Schedule uint8

// The schedules. Interleaved is 1F1B over several model chunks a rank
// (Narayanan et al. 2021, section 2.2); GPipe runs every forward pass before
// the first backward one (Huang et al. 2019); ZBH1 splits the backward pass
// and fills the drain with weight gradients (Qi et al. 2023, section 2.1).
const (
	OneFOneB Schedule = iota
	Interleaved
	GPipe
	ZBH1
)

var scheduleNames = [...]string{"1f1b", "interleaved", "gpipe", "zb-h1"}

// ScheduleNames lists the spellings in order.
func ScheduleNames() []string { return scheduleNames[:] }

// String returns the spelling of a layout string.
func (s Schedule) String() string { return scheduleNames[s] }

// StageTime is the time of one micro-batch on each of Ranks equal pipeline
// ranks, all chunks together.
type StageTime struct {
	Fwd, Bwd unit.Seconds
	Weight   unit.Seconds // the part of Bwd that computes weight gradients
	Head     Pass         // by how much a pass of the last chunk exceeds the others
	Ranks    int
}

// PipelineTime returns the time from the first forward to the last backward
// pass of m micro-batches over the stages, v chunks a rank: the longest path of
// passes that wait for each other.
//
//	gpipe: ΣSᵢ + (m−1)·(max Fᵢ + max Bᵢ),  Sᵢ = Fᵢ + Bᵢ
//
// Under 1F1B and its kin the longest path comes down to some rank with the
// first micro-batch, stays there while the rank is the slowest, and goes up
// with the last: see path. For equal stages it is
//
//	1f1b, interleaved: (m + (p−1)/v)·S
//	zb-h1:             m·S + (p−1)·(S − 2W)
//
// Sources: Narayanan et al. 2021, section 2.2; Huang et al. 2019, section 2.3;
// Qi et al. 2023, table 1, where the bubble is (p−1)(T_F + T_B − T_W) and T_B
// leaves T_W out.
func PipelineTime(sched Schedule, stages []StageTime, m, v float64) unit.Seconds {
	if sched == GPipe {
		return flowShop(stages, m)
	}
	x := path{m: m, v: v, split: sched == ZBH1}
	for i := range stages {
		x.add(&stages[i])
	}
	var longest unit.Seconds
	for i := range stages {
		longest = max(longest, x.through(&stages[i]))
	}
	return longest
}

// flowShop is GPipe's: forward passes in a row over the ranks, then backward
// passes the other way, each a flow shop of equal jobs.
func flowShop(stages []StageTime, m float64) unit.Seconds {
	var sum, fwd, bwd unit.Seconds
	for i := range stages {
		s := &stages[i]
		sum += (s.Fwd + s.Bwd).Times(float64(s.Ranks))
		fwd, bwd = max(fwd, s.Fwd), max(bwd, s.Bwd)
	}
	return sum + (fwd + bwd).Times(m-1)
}

// BubbleFraction returns the share of a pipeline's step that equal stages
// idle, in [0, 1): (p−1)/(v·m + p−1), after Narayanan et al. 2021, section
// 2.2, where it is given relative to the ideal time instead.
func BubbleFraction(stages, micro, chunks int) float64 {
	idle := float64(stages - 1)
	return idle / (float64(chunks*micro) + idle)
}
