package plan

import (
	"fmt"
	"strconv"

	"planner/hardware/unit"
)

// Limits are what a plan must keep to; zero values are not checked, but for a
// drift of 0 that was asked for.
type Limits struct {
	MinMFU    float64      // fraction
	MaxMemory unit.Bytes   // of one GPU
	MaxStep   unit.Seconds // of one step
	MinTokens float64      // tokens per second and GPU
	MaxDrift  float64      // relative change of the step against the saved one
	HoldDrift bool         // MaxDrift is a limit; 0 allows no change
}

// Verdict is one check of a plan.
type Verdict struct {
	What  string `json:"check"`
	Value string `json:"value"`
	Want  string `json:"want"`
	OK    bool   `json:"ok"`
}

// Check holds figures of today against the limits and the saved ones. That
// the plan fits is always checked.
func (l Limits) Check(now, saved Figures) []Verdict {
	gib := func(b float64) string { return fmt.Sprintf("%.1f GiB", unit.Bytes(b).GiB()) }
	out := []Verdict{{"fits", gib(now.Memory), "at most " + gib(now.Usable), now.Fits}}
	add := func(on bool, what, value, want string, ok bool) {
		if on {
			out = append(out, Verdict{what, value, want, ok})
		}
	}
	add(l.MinMFU > 0, "mfu", fmt.Sprintf("%.1f %%", 100*now.MFU), "at least "+limit(100*l.MinMFU, 1)+" %", now.MFU >= l.MinMFU)
	add(l.MaxMemory > 0, "memory", gib(now.Memory), "at most "+limit(l.MaxMemory.GiB(), 1)+" GiB", now.Memory <= float64(l.MaxMemory))
	add(l.MaxStep > 0, "step", fmt.Sprintf("%.3f s", now.Step), "at most "+limit(float64(l.MaxStep), 3)+" s", now.Step <= float64(l.MaxStep))
	add(l.MinTokens > 0, "tokens/s/GPU", fmt.Sprintf("%.0f", now.Tokens), "at least "+limit(l.MinTokens, 0), now.Tokens >= l.MinTokens)
	drift := now.Step/saved.Step - 1
	add(l.HoldDrift, "drift of the step", signed(100*drift), "within ± "+limit(100*l.MaxDrift, 1)+" %", abs(drift) <= l.MaxDrift)
	return out
}

// limit writes what was asked for with some decimals, or as many as it takes to be
// told from 0 and from what is near: 0.01 of a limit of 0.01 %.
func limit(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if shown, _ := strconv.ParseFloat(text, 64); abs(shown-x) <= 0.01*x {
		return text
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// signed writes a percentage with one digit, or as many as it takes not to be 0.
func signed(percent float64) string {
	if percent != 0 && abs(percent) < 0.05 {
		return fmt.Sprintf("%+.1g %%", percent)
	}
	return fmt.Sprintf("%+.1f %%", percent)
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// Move is a figure that changed since the plan was saved.
type Move struct {
	What  string  `json:"figure"`
	Unit  string  `json:"unit"`
	Saved float64 `json:"saved"`
	Now   float64 `json:"now"`
}

// Moved lists every figure of the plan, then and now, in the order of the
// tables.
func Moved(saved, now Figures) []Move {
	var out []Move
	s, n := saved.Terms(), now.Terms()
	for i := range s {
		if s[i].Value != 0 || n[i].Value != 0 {
			out = append(out, Move{s[i].Name, s[i].Unit, s[i].Value, n[i].Value})
		}
	}
	return out
}

// Term is one figure with its unit: "s", "%" (a fraction), "tok/s" or "B".
type Term struct {
	Name, Unit string
	Value      float64
	Part       bool // a part of the step
}

// Terms returns the figures in the order of every table.
func (f Figures) Terms() []Term {
	return []Term{
		{"step", "s", f.Step, false},
		{"compute", "s", f.Compute, true}, {"bubble", "s", f.Bubble, true},
		{"exposed TP", "s", f.TP, true}, {"exposed CP", "s", f.CP, true}, {"exposed EP", "s", f.EP, true},
		{"exposed PP", "s", f.PP, true}, {"exposed DP", "s", f.DP, true}, {"exposed other", "s", f.Other, true},
		{"optimizer", "s", f.Optimizer, true}, {"overhead", "s", f.Overhead, true},
		{"MFU", "%", f.MFU, false}, {"tokens/s/GPU", "tok/s", f.Tokens, false}, {"memory", "B", f.Memory, false},
	}
}
