package calibrate

import (
	"maps"
	"slices"

	"planner/hardware/unit"
	"planner/strategies"
)

// newFit joins rows with every knob that moves one of them by more than a
// hundredth of a percent when turned by a tenth.
func newFit(rows []*sample, profile, gpu []knob, error residual) *fit {
	f := &fit{rows: rows, error: error, fine: fineScale, prior: start(rows)}
	for _, at := range slices.SortedFunc(maps.Keys(f.prior.profiles), place.compare) {
		unsetMemory(f.prior.profiles[at])
		for _, k := range profile {
			f.turns = append(f.turns, turn{k, at})
		}
	}
	for _, arch := range slices.Sorted(maps.Keys(f.prior.gpus)) {
		for _, k := range gpu {
			f.turns = append(f.turns, turn{k, place{"", arch}})
		}
	}
	f.drop()
	return f
}

// networkPrior is the share of the nominal rate that unstated networks reach:
// A100 clusters of 2021 to 2023 had far less than eight ports of 200 Gb/s.
var networkPrior = map[string]float64{"ampere": 0.3, "hopper": 0.8, "blackwell": 0.9, "volta": networkElsewhere}

// networkElsewhere is the same for generations without runs: between the
// values that runs give, from a twentieth to all of it.
const networkElsewhere = 0.5

// fineScale is the least error of a step beyond which a row counts less and
// less.
const fineScale = 0.03

// unset gives the times that a framework's prior leaves open the value that
// holds where no run speaks: estimates of a factor of two, by their reasons.
func unset(v *strategies.ProfileFit, arch string) {
	fill(&v.NormUnfused, 8) // a norm as some eight elementwise kernels, each with a read and a write
	fill(&v.Plain, 3)       // residual, dropout and cast as kernels of their own
	fill(&v.Network, networkPrior[arch])
	fill(&v.Misaligned, 4)                 // A100 in fp16: 312 TFLOP/s on tensor cores, 78 beside them (NVIDIA's data sheet)
	fill(&v.HostExpert, unit.Millisecond)  // a hundred launches of 10 µs
	fill(&v.HostCall, 50*unit.Microsecond) // NCCL launches small calls every 18 to 37 µs (nccl-tests on A100 and GH200), PyTorch adds its dispatch
	fill(&v.Slot, unit.Millisecond)        // two batched exchanges and a synchronisation
}

// unsetMemory gives the memory that a framework's prior leaves open the value
// that its fit starts from; where no run speaks it stays open.
func unsetMemory(v *strategies.ProfileFit) {
	fill(&v.NormSaved, 10)  // fp32 input and result, 16-bit result
	fill(&v.LogitsWhole, 1) // hardly any
}

func fill[T ~float64](v *T, with T) {
	if *v == 0 {
		*v = with
	}
}

// drop leaves out the knobs that too few rows feel.
func (f *fit) drop() {
	base := f.errors(f.prior)
	var kept []turn
	for i := range f.turns {
		t := &f.turns[i]
		if *t.value(f.prior) == 0 {
			continue // the framework's prior leaves the mechanism out
		}
		c := f.prior.clone()
		*t.value(c) *= 1.1
		moved := 0
		for j, s := range f.rows {
			if moved >= leastRows || !t.moves(s) {
				continue
			}
			p, e := s.predict(c)
			d := f.error(s, p, &e) - base[j]
			if d > 1e-4 || d < -1e-4 {
				moved++
			}
		}
		if moved >= leastRows {
			kept = append(kept, *t)
		}
	}
	f.turns = kept
}

// narrow drops the knobs that the rows do not pin below most of their prior's
// spread. It returns where to start again, those at their priors, and whether
// any was dropped.
func (f *fit) narrow(c *constants, dev []float64) (*constants, bool) {
	start := f.prior.clone()
	var kept []turn
	for j := range f.turns {
		t := &f.turns[j]
		if dev[j] < known*t.spread {
			*t.value(start) = *t.value(c)
			kept = append(kept, *t)
		}
	}
	fewer := len(kept) < len(f.turns)
	f.turns = kept
	return start, fewer
}

// known is the share of a prior's spread below which rows have narrowed it.
const known = 0.9
