package calibrate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"planner/internal/bands"
	"planner/internal/validate"
	"planner/strategies"
)

// Study is a fit with what shows how far to trust it.
type Study struct {
	Fit      *Result
	InSample []Residual
	Crossed  []Residual // without the run's group
	LeftOut  []Residual // without the run's source
	// MemoryCrossed and MemoryLeftOut are the same for memory, by source.
	MemoryCrossed, MemoryLeftOut map[string]*MemoryCheck
	Bands                        *Bands
	AsOf                         string
	tell                         func(string)
	validations                  *validate.Report
}

// NewStudy fits the constants on runs, cross-validates and leaves sources out.
// It takes minutes; tell hears how far it is.
func NewStudy(runs []validate.Run, asOf string, tell func(string)) *Study {
	rows := samples(runs)
	s := &Study{AsOf: asOf, tell: tell}
	tell("fitting")
	s.Fit = fitSamples(rows)
	var timed []*sample
	for _, r := range rows {
		if r.step > 0 {
			timed = append(timed, r)
		}
	}
	s.InSample = s.Fit.residuals(timed)
	tell("cross-validating")
	s.Crossed = CrossValidate(rows)
	tell("leaving sources out")
	s.LeftOut = LeaveSourceOut(rows)
	tell("memory without groups and sources")
	s.MemoryCrossed, s.MemoryLeftOut = CrossValidateMemory(rows), LeaveSourceOutMemory(rows)
	s.Bands = NewBands(s.Crossed, s.LeftOut)
	return s
}

// Report predicts runs under the fitted constants, for what is said of memory
// and of the order of layouts.
func (s *Study) Report(runs []validate.Run) *validate.Report {
	s.validations = validate.RunsBy(runs, func(c *validate.Case) (*strategies.Problem, strategies.Estimate) {
		return sampleOf(c).predict(s.Fit.final)
	})
	return s.validations
}

// BandsTOML returns presets/bands.toml.
func (s *Study) BandsTOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The 80 %% bands of measured over predicted steps, by kind of run. Written by\n# `planner calibrate`: quantiles of %d runs predicted without their group.\n", len(s.Crossed))
	fmt.Fprintf(&b, "source = \"published runs (presets/runs), grouped five-fold cross-validation\"\nas_of = %q\n", s.AsOf)
	put := func(name string, e bands.Entry) {
		fmt.Fprintf(&b, "\n[%s]\nlow = %.3f\nhigh = %.3f\nruns = %d\n", name, e.Low, e.High, e.Runs)
		if e.Longest > 0 {
			fmt.Fprintf(&b, "longest = %d\ncp = %d\n", e.Longest, e.CP)
		}
	}
	put("calibrated", s.Bands.Calibrated)
	put("unseen", s.Bands.Unseen)
	for _, k := range slices.Sorted(maps.Keys(s.Bands.Kinds)) {
		put(fmt.Sprintf("kind.%q", k), s.Bands.Kinds[k])
	}
	return b.String()
}

// errorsBySource returns the errors of residuals by source.
func errorsBySource(rs []Residual) map[string]*validate.Errors {
	by := map[string][]float64{}
	for _, r := range rs {
		by[r.Source] = append(by[r.Source], 1/r.Ratio)
	}
	out := map[string]*validate.Errors{}
	for k, v := range by {
		out[k] = validate.ErrorsOf(v)
	}
	return out
}

// AccuracyMD returns docs/ACCURACY.md.
func (s *Study) AccuracyMD() string {
	var b strings.Builder
	b.WriteString(accuracyHead)
	s.stepTable(&b)
	s.bandText(&b)
	if s.validations != nil {
		orderTable(&b, s.validations)
		pairTable(&b, s.Crossed)
		memoryTable(&b, s.validations)
		s.memoryCrossTable(&b)
	}
	b.WriteString(accuracyWords)
	s.constantTable(&b)
	b.WriteString(accuracyLegend)
	return b.String()
}

func (s *Study) stepTable(b *strings.Builder) {
	in, cross, out := errorsBySource(s.InSample), errorsBySource(s.Crossed), errorsBySource(s.LeftOut)
	b.WriteString("## Step time\n\nMean absolute error in percent, P90 in brackets, and the bias (median).\n\n| source | runs | fitted on all | without its group | without its source |\n|---|---|---|---|---|\n")
	var sums [3]float64
	for _, name := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(b, "| %s | %d |", name, in[name].N)
		for i, e := range []*validate.Errors{in[name], cross[name], out[name]} {
			fmt.Fprintf(b, " %.1f (%.0f), %+.1f |", 100*e.MAPE, 100*e.P90, 100*e.Bias)
			sums[i] += e.MAPE / float64(len(in))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "| sources alike | %d | %.1f | %.1f | %.1f |\n\n", len(s.InSample), 100*sums[0], 100*sums[1], 100*sums[2])
}

func (s *Study) bandText(b *strings.Builder) {
	k := s.Bands
	fmt.Fprintf(b, "## Bands\n\nLeaving a run's group out, %.0f %% of measured steps lie inside the 80 %% band (sources alike %.0f %%); its median half width is %.1f %%.\n",
		100*k.CoverageRuns, 100*k.Coverage, 100*k.HalfWidth)
	fmt.Fprintf(b, "A framework or generation without a measured run gets %+.0f to %+.0f %%; a cluster that one measured step calibrates %+.1f to %+.1f %%.\n\n",
		100*(k.Unseen.Low-1), 100*(k.Unseen.High-1), 100*(k.Calibrated.Low-1), 100*(k.Calibrated.High-1))
}

func orderTable(b *strings.Builder, rep *validate.Report) {
	b.WriteString("## Order of layouts\n\nGroups of four layouts or more; regret is how much slower the first pick is than the best.\n\n| source | groups | tau-b | regret % | most % |\n|---|---|---|---|---|\n")
	for i := range rep.Summary.Sources {
		if x := &rep.Summary.Sources[i]; x.Groups > 0 {
			fmt.Fprintf(b, "| %s | %d | %.2f | %.1f | %.1f |\n", x.Source, x.Groups, x.Tau, 100*x.Regret, 100*x.MaxRegret)
		}
	}
	b.WriteByte('\n')
}

func memoryTable(b *strings.Builder, rep *validate.Report) {
	b.WriteString("## Memory\n\nFitted on all runs. Allocated and required figures are compared with the sum of tensors, reserved and unknown ones with that and fragmentation, rounded ones with all that the process takes.\n\n| source | kind | runs | mean error % | fit or OOM, balanced accuracy |\n|---|---|---|---|---|\n")
	for i := range rep.Summary.Sources {
		x := &rep.Summary.Sources[i]
		accuracy := ""
		if x.Fit != nil && x.Fit.Correct > 0 {
			accuracy = fmt.Sprintf("%.3f of %d ok, %d OOM", x.Fit.Correct, x.Fit.FitFit+x.Fit.FitOOM, x.Fit.OOMFit+x.Fit.OOMOOM)
		}
		for _, k := range slices.Sorted(maps.Keys(x.Memory)) {
			fmt.Fprintf(b, "| %s | %s | %d | %.1f | %s |\n", x.Source, k, x.Memory[k].N, 100*x.Memory[k].MAPE, accuracy)
		}
		if len(x.Memory) == 0 && accuracy != "" {
			fmt.Fprintf(b, "| %s | – | – | – | %s |\n", x.Source, accuracy)
		}
	}
	b.WriteByte('\n')
}

func (s *Study) constantTable(b *strings.Builder) {
	b.WriteString("## Constants\n\nValue, interval of 90 % (a prior's where runs say little), and the runs that it moves.\n\n| of | constant | prior | value | interval | runs |\n|---|---|---|---|---|---|\n")
	for i := range s.Fit.Constants {
		c := &s.Fit.Constants[i]
		of := c.Framework + " on " + c.Arch
		if c.Framework == "" {
			of = c.Arch
		}
		firm := "prior"
		if c.Known() {
			firm = fmt.Sprintf("±%.0f %%", 100*math.Expm1(1.64*c.Deviation))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %d |\n", of, c.Name, number(c.Prior), number(c.Value), firm, c.Rows)
	}
}
