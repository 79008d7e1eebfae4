package diagnose

import (
	"cmp"
	"context"
	"slices"

	"planner/hardware/unit"
	"planner/internal/sensitivity"
	"planner/strategies"
)

// Request is what was measured of a subject.
type Request struct {
	Measured unit.Seconds // 0: nothing
	Shares   []Share
}

// Diagnosis is all that there is to say.
type Diagnosis struct {
	*Subject
	Gap      *Gap // nil: nothing measured
	Findings []Finding
	Shares   []Answer
	Near     []sensitivity.Knob   // one knob away and faster, best first
	Best     *strategies.Estimate // of the framework's space under the constraints of a saved plan; nil: nothing fits
	Rule     []strategies.Diagnosis
}

// nearest is how many neighbours are shown.
const nearest = 4

// Run diagnoses a subject. The error is ctx's when it was interrupted.
func Run(ctx context.Context, s *Subject, r *Request) (*Diagnosis, error) {
	d := &Diagnosis{Subject: s, Findings: s.rules()}
	d.Rule, _, _ = s.Answer.Problem.Diagnose(s.Explain)
	for _, share := range r.Shares {
		d.Shares = append(d.Shares, s.answer(share))
	}
	if r.Measured > 0 {
		var err error
		if d.Gap, err = s.gap(r.Measured); err != nil {
			return nil, err
		}
	}
	for _, k := range sensitivity.Neighbours(s.Answer.Problem, &s.Explain.Estimate) {
		if e := k.Estimate; e.Fits && (!s.Explain.Fits || e.Step < s.Explain.Step.Times(1-strategies.Resolution)) {
			d.Near = append(d.Near, k)
		}
	}
	slices.SortStableFunc(d.Near, func(a, b sensitivity.Knob) int { return cmp.Compare(a.Estimate.Step, b.Estimate.Step) })
	d.Near = d.Near[:min(len(d.Near), nearest)]
	found := s.Answer.Search(ctx, s.Answer.Space(), strategies.Options{Top: 1})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(found.Ranking) > 0 {
		d.Best = &found.Ranking[0]
	}
	return d, nil
}
