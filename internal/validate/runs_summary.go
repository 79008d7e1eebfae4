package validate

import (
	"maps"
	"math"
	"slices"
)

// Ranking is how well the layouts of one group are put in order.
type Ranking struct {
	Group   string  `json:"group"`
	Source  string  `json:"source"`
	Layouts int     `json:"layouts"`
	Tau     float64 `json:"tau_b"`
	Regret  float64 `json:"regret"` // of the first pick, a share of the best
}

// SourceSummary is what one source says of the predictions.
type SourceSummary struct {
	Source     string             `json:"source"`
	Rows       int                `json:"rows"`
	Skipped    int                `json:"skipped"`
	Step       *Errors            `json:"step,omitempty"`
	Calibrated *Errors            `json:"step_calibrated,omitempty"` // with -calibrate-per group:1
	Memory     map[string]*Errors `json:"memory,omitempty"`          // by kind
	Fit        *Confusion         `json:"fit,omitempty"`
	Groups     int                `json:"groups_ranked"`
	Tau        float64            `json:"mean_tau_b"`
	Regret     float64            `json:"mean_regret"`
	MaxRegret  float64            `json:"max_regret"`
	Inside     float64            `json:"inside_band"` // share of measured steps
}

// RunSummary is the report in short. Macro averages sources alike.
type RunSummary struct {
	Sources  []SourceSummary    `json:"sources"`
	Macro    Errors             `json:"macro_step"`
	Memory   map[string]float64 `json:"macro_memory_mape"`
	Rankings []Ranking          `json:"groups"`
	Coverage float64            `json:"inside_band"` // over sources alike
	Width    float64            `json:"median_half_width"`
}

// Summarise works out the summary of predicted rows.
func Summarise(rows []RunResult) RunSummary {
	var s RunSummary
	bySource := map[string][]*RunResult{}
	for i := range rows {
		bySource[rows[i].Source] = append(bySource[rows[i].Source], &rows[i])
	}
	kinds := map[string][]float64{}
	var widths []float64
	timed := 0.0
	for _, name := range slices.Sorted(maps.Keys(bySource)) {
		src, ranked := summariseSource(name, bySource[name])
		s.Sources = append(s.Sources, src)
		s.Rankings = append(s.Rankings, ranked...)
		for k, e := range src.Memory {
			kinds[k] = append(kinds[k], e.MAPE)
		}
		if src.Step != nil {
			timed++
			s.Macro.add(src.Step)
			s.Coverage += src.Inside
		}
	}
	s.Macro.scale(timed)
	s.Coverage /= math.Max(1, timed)
	s.Memory = map[string]float64{}
	for k, v := range kinds {
		s.Memory[k] = mean(v)
	}
	for i := range rows {
		if r := &rows[i]; r.Step > 0 && r.Measured != nil {
			widths = append(widths, (r.High-r.Low)/2/r.Step)
		}
	}
	slices.Sort(widths)
	if len(widths) > 0 {
		s.Width = quantile(widths, 0.5)
	}
	return s
}

func (e *Errors) add(o *Errors) {
	e.N += o.N
	e.MAPE += o.MAPE
	e.Median += o.Median
	e.P90 += o.P90
	e.Bias += o.Bias
}

func (e *Errors) scale(n float64) {
	if n > 0 {
		e.MAPE, e.Median, e.P90, e.Bias = e.MAPE/n, e.Median/n, e.P90/n, e.Bias/n
	}
}

func mean(v []float64) float64 {
	t := 0.0
	for _, x := range v {
		t += x
	}
	return t / float64(len(v))
}

func summariseSource(name string, rows []*RunResult) (SourceSummary, []Ranking) {
	s := SourceSummary{Source: name, Rows: len(rows)}
	var steps []float64
	memory := map[string][]float64{}
	groups := map[string][]*RunResult{}
	inside := 0.0
	for _, r := range rows {
		if r.Skipped != "" {
			s.Skipped++
			continue
		}
		if r.Measured != nil {
			steps = append(steps, r.Step / *r.Measured)
			if r.Low <= *r.Measured && *r.Measured <= r.High {
				inside++
			}
			groups[r.Group] = append(groups[r.Group], r)
		}
		if r.MeasuredMem != nil && r.Outcome != "oom" {
			kind := r.MemoryKind
			if kind == "" {
				kind = "unknown"
			}
			memory[kind] = append(memory[kind], r.Memory / *r.MeasuredMem)
		}
		s.count(r)
	}
	if s.Fit != nil {
		s.Fit.close()
	}
	s.Step = errorsOf(steps)
	if len(steps) > 0 {
		s.Inside = inside / float64(len(steps))
	}
	for k, v := range memory {
		if s.Memory == nil {
			s.Memory = map[string]*Errors{}
		}
		s.Memory[k] = errorsOf(v)
	}
	return s, s.rank(groups)
}

// count enters a row into the confusion of fit and OOM. Sources that cannot
// tell a crash from OOM do not count.
func (s *SourceSummary) count(r *RunResult) {
	if r.Outcome != "ok" && r.Outcome != "oom" {
		return
	}
	if s.Fit == nil {
		s.Fit = &Confusion{}
	}
	if r.Marginal {
		s.Fit.Margin++
	}
	switch {
	case r.Outcome == "ok" && r.Fits:
		s.Fit.FitFit++
	case r.Outcome == "ok":
		s.Fit.FitOOM++
	case r.Fits:
		s.Fit.OOMFit++
	default:
		s.Fit.OOMOOM++
	}
}

// rank orders the layouts of each group of four or more.
func (s *SourceSummary) rank(groups map[string][]*RunResult) []Ranking {
	var out []Ranking
	var taus []float64
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		rows := groups[g]
		if len(rows) < 4 || g == "" {
			continue
		}
		var p, m []float64
		for _, r := range rows {
			p, m = append(p, r.Step), append(m, *r.Measured)
		}
		k := Ranking{Group: g, Source: s.Source, Layouts: len(rows), Tau: TauB(p, m), Regret: Regret(p, m)}
		if math.IsNaN(k.Tau) {
			k.Tau = 0 // no order to tell
		}
		out = append(out, k)
		taus = append(taus, k.Tau)
		s.Groups++
		s.Regret += k.Regret
		s.MaxRegret = math.Max(s.MaxRegret, k.Regret)
	}
	if s.Groups > 0 {
		s.Tau, s.Regret = mean(taus), s.Regret/float64(s.Groups)
	}
	return out
}
