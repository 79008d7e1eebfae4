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
	Ranks    int
}

// PipelineTime returns the time from the first forward to the last backward
// pass of m micro-batches over the stages, v chunks a rank. The slowest stage
// never waits once the pipeline is full, the others' time for one micro-batch
// is paid once, a v-th of it under interleaving:
//
//	1f1b, interleaved: m·S + (ΣSᵢ − S)/v,  S = max Sᵢ,  Sᵢ = Fᵢ + Bᵢ
//	gpipe:             ΣSᵢ + (m−1)·(max Fᵢ + max Bᵢ)
//	zb-h1:             m·S + Σ(Fᵢ + Bᵢ − 2Wᵢ) over the other stages
//
// Sources: Narayanan et al. 2021, section 2.2; Huang et al. 2019, section 2.3;
// Qi et al. 2023, table 1, where the bubble is (p−1)(T_F + T_B − T_W) and T_B
// leaves T_W out. Stages may differ; the forms stay exact for the schedule as
// long as the slowest is the slowest in both directions.
func PipelineTime(sched Schedule, stages []StageTime, m, v float64) unit.Seconds {
	var sum, slowest, fwd, bwd, zero unit.Seconds
	for i := range stages {
		s := &stages[i]
		n := float64(s.Ranks)
		t := s.Fwd + s.Bwd
		sum += t.Times(n)
		zero += (t - 2*s.Weight).Times(n)
		slowest, fwd, bwd = max(slowest, t), max(fwd, s.Fwd), max(bwd, s.Bwd)
	}
	switch sched {
	case GPipe:
		return sum + (fwd + bwd).Times(m-1)
	case ZBH1:
		return slowest.Times(m) + max(0, zero-slowestZero(stages, slowest))
	}
	return slowest.Times(m) + (sum - slowest).Times(1/v)
}

func slowestZero(stages []StageTime, slowest unit.Seconds) unit.Seconds {
	for i := range stages {
		if s := &stages[i]; s.Fwd+s.Bwd == slowest {
			return s.Fwd + s.Bwd - 2*s.Weight
		}
	}
	return 0
}

// BubbleFraction returns the share of a pipeline's step that equal stages
// idle, in [0, 1): (p−1)/(v·m + p−1), after Narayanan et al. 2021, section
// 2.2, where it is given relative to the ideal time instead.
func BubbleFraction(stages, micro, chunks int) float64 {
	idle := float64(stages - 1)
	return idle / (float64(chunks*micro) + idle)
}
