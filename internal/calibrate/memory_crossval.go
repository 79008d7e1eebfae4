package calibrate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// MemoryCheck is how a source's memory is predicted under constants that did
// not see the runs in question.
type MemoryCheck struct {
	Runs  int     // with a measured figure
	Error float64 // their mean absolute error, a share
	// OK and OOM count runs by how they ended and what was predicted of them: to
	// fit and not to.
	OK, OOM [2]int
}

// Balanced returns the mean of the shares told right among the runs that
// fitted and among those that ran out; NaN without either.
func (m *MemoryCheck) Balanced() float64 {
	right := func(n [2]int, i int) float64 { return float64(n[i]) / float64(n[0]+n[1]) }
	return (right(m.OK, 0) + right(m.OOM, 1)) / 2
}

// memoryRows returns the samples that speak of memory.
func memoryRows(rows []*sample) []*sample {
	oom := outOfMemory(rows)
	var out []*sample
	for _, s := range rows {
		if s.remembers(oom) {
			out = append(out, s)
		}
	}
	return out
}

// CrossValidateMemory predicts the memory of every run under constants fitted
// without its group (five folds of whole groups), by source.
func CrossValidateMemory(rows []*sample) map[string]*MemoryCheck {
	rows = memoryRows(rows)
	out := map[string]*MemoryCheck{}
	for k := range folds {
		in, held := split(rows, func(s *sample) bool { return fold(s.group) == k })
		memoryOnly(alike(in, held)).checkMemory(held, out)
	}
	return out
}

// LeaveSourceOutMemory does the same without the run's source: a framework
// without other runs on the generation takes its priors.
func LeaveSourceOutMemory(rows []*sample) map[string]*MemoryCheck {
	rows = memoryRows(rows)
	sources := map[string]bool{}
	for _, s := range rows {
		sources[s.source] = true
	}
	out := map[string]*MemoryCheck{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		in, held := split(rows, func(s *sample) bool { return s.source == name })
		memoryOnly(alike(in, held)).checkMemory(held, out)
	}
	return out
}

func split(rows []*sample, out func(*sample) bool) (in, held []*sample) {
	for _, s := range rows {
		if out(s) {
			held = append(held, s)
		} else {
			in = append(in, s)
		}
	}
	return in, held
}

// alike returns the rows on generations that held has: others do not matter.
func alike(rows, held []*sample) []*sample {
	archs := map[string]bool{}
	for _, s := range held {
		archs[s.at.arch] = true
	}
	_, out := split(rows, func(s *sample) bool { return archs[s.at.arch] })
	return out
}

// memoryOnly fits the constants of memory alone.
func memoryOnly(rows []*sample) *Result {
	res := &Result{rows: rows, final: start(rows)}
	by := byArch(rows, leastMemory, func(*sample) bool { return true })
	for _, arch := range slices.Sorted(maps.Keys(by)) {
		f := newFit(by[arch], memoryKnobs, nil, memoryResidual)
		f.linear = true
		res.take(f, res.final)
	}
	return res
}

// checkMemory adds what the fitted constants say of rows to the checks of
// their sources.
func (res *Result) checkMemory(rows []*sample, out map[string]*MemoryCheck) {
	all := start(rows)
	for k := range all.profiles {
		if f, ok := res.final.profiles[k]; ok {
			all.profiles[k] = f
		}
	}
	for _, s := range rows {
		m := out[s.source]
		if m == nil {
			m = &MemoryCheck{}
			out[s.source] = m
		}
		_, e := s.predict(all)
		if s.memory > 0 {
			m.Error = (m.Error*float64(m.Runs) + math.Abs(s.Comparable(&e.Memory)/s.memory-1)) / float64(m.Runs+1)
			m.Runs++
		}
		miss := 1
		if e.Fits {
			miss = 0
		}
		switch s.outcome {
		case "ok":
			m.OK[miss]++
		case "oom":
			m.OOM[miss]++
		}
	}
}

// memoryCrossTable writes the checks beside each other.
func (s *Study) memoryCrossTable(b *strings.Builder) {
	b.WriteString("Leaving out what is predicted, as above: the mean error of measured memory in percent, and the balanced accuracy of fit or OOM.\n\n" +
		"| source | without its group | without its source | fit or OOM without its group | without its source |\n|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(s.MemoryCrossed)) {
		group, source := s.MemoryCrossed[name], s.MemoryLeftOut[name]
		if group.Runs == 0 && math.IsNaN(group.Balanced()) {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", name, group.error(), source.error(), group.balanced(), source.balanced())
	}
	b.WriteByte('\n')
}

func (m *MemoryCheck) error() string {
	if m == nil || m.Runs == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*m.Error)
}

func (m *MemoryCheck) balanced() string {
	if m == nil || math.IsNaN(m.Balanced()) {
		return "–"
	}
	return fmt.Sprintf("%.3f", m.Balanced())
}
