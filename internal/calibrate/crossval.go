package calibrate

import (
	"hash/fnv"
	"maps"
	"slices"

	"planner/internal/bands"
)

// Residual is a run's measured over predicted step under constants that did
// not see it.
type Residual struct {
	Source, Group string
	Ratio         float64
	measured      float64 // seconds
	keys          [3]string
	layout        string
	gpus, seq, cp int
}

// folds of grouped cross-validation; whole groups go to one fold.
const folds = 5

// CrossValidate predicts every timed run under constants fitted without its
// group (five folds).
func CrossValidate(rows []*sample) []Residual {
	var out []Residual
	for k := range folds {
		var in, held []*sample
		for _, s := range rows {
			if fold(s.group) == k && s.step > 0 {
				held = append(held, s)
			} else {
				in = append(in, s)
			}
		}
		out = append(out, timeOnly(in).residuals(held)...)
	}
	return out
}

func fold(group string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(group))
	return int(h.Sum32() % folds)
}

// LeaveSourceOut predicts every source under constants fitted without it: a
// framework without other runs on the generation takes those of the nearest,
// or its priors.
func LeaveSourceOut(rows []*sample) []Residual {
	sources := map[string]bool{}
	for _, s := range rows {
		if s.step > 0 {
			sources[s.source] = true
		}
	}
	var out []Residual
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		archs := map[string]bool{}
		var held []*sample
		for _, s := range rows {
			if s.source == name && s.step > 0 {
				archs[s.at.arch] = true
				held = append(held, s)
			}
		}
		var in []*sample
		for _, s := range rows {
			if s.source != name && archs[s.at.arch] {
				in = append(in, s)
			}
		}
		out = append(out, timeOnly(in).residuals(held)...)
	}
	return out
}

// timeOnly fits step times alone.
func timeOnly(rows []*sample) *Result {
	res := &Result{rows: rows, final: start(rows)}
	times := byArch(rows, leastRows, func(s *sample) bool { return s.step > 0 })
	for _, arch := range slices.Sorted(maps.Keys(times)) {
		res.take(newFit(times[arch], timeKnobs, gpuKnobs, stepResidual), res.final)
	}
	return res
}

func (res *Result) residuals(rows []*sample) []Residual {
	all := start(rows)
	for k := range all.profiles {
		if f := res.serving(k); f != nil {
			all.profiles[k] = f
		}
	}
	for k := range all.gpus {
		if e, ok := res.final.gpus[k]; ok {
			all.gpus[k] = e
		}
	}
	out := make([]Residual, len(rows))
	each(len(rows), func(i int) {
		s := rows[i]
		p, e := s.predict(all)
		out[i] = Residual{s.source, s.group, s.step / float64(e.Step), s.step, bands.Keys(p, &e), e.Layout.String(), s.Run.GPUs, p.Work.Seq, e.Layout.CP}
	})
	return out
}
