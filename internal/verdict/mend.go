package verdict

import (
	"context"
	"fmt"
	"io"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/internal/show"
)

// Mended is a calibrated profile and what planning with it changes, judged on
// a measurement that it was not fitted on.
type Mended struct {
	Profile       *hardware.Cluster
	Terms         []Term
	From          string // what it was fitted to
	Before, After *Report
}

// Mend measures the terms of the ranks at hand and replays the layouts, twice.
// It takes the profile that the terms give, if planning with it is not worse
// either time; or else the one fitted to the first replay's calls; or else the
// one at hand.
func (r *Run) Mend(ctx context.Context) (*Mended, error) {
	if r.Sampled {
		return nil, catalog.Errorf("--measure: the plan is of other ranks than those at hand: want no --gpus and no preset")
	}
	terms, err := r.Terms(ctx)
	if err != nil {
		return nil, err
	}
	first, err := r.Measure(ctx)
	if err != nil {
		return nil, err
	}
	second, err := r.Measure(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		from string
		to   *hardware.Cluster
	}{{"calls of their own", WithTerms(r.Profile, terms)}, {"the calls of the layouts", r.Fit(first)}} {
		m := &Mended{Profile: c.to, Terms: terms, From: c.from, Before: second}
		x, err := r.Again(first, c.to)
		if err == nil {
			m.After, err = r.Again(second, c.to)
		}
		if err != nil {
			return nil, err
		}
		if notWorse(first, x) && notWorse(second, m.After) {
			return m, nil
		}
	}
	return &Mended{Profile: r.Profile, Terms: terms, From: "nothing: no fit was better than the profile at hand", Before: second, After: second}, nil
}

// tauNoise is a difference of tau-b that one pair of a dozen layouts makes.
const tauNoise = 0.02

// notWorse reports whether planning with another profile is not worse.
func notWorse(before, after *Report) bool {
	return after.TauB >= before.TauB-tauNoise && after.Error <= before.Error && after.Regret <= max(before.Regret, mostRegret)
}

// Render writes what was measured and what it changes.
func (m *Mended) Render(w io.Writer) {
	var rows [][]string
	for _, t := range m.Terms {
		where := "inside a node"
		if t.Between {
			where = "between nodes"
		}
		rows = append(rows, []string{where, t.Algorithm, span(t.Latency), "± " + span(t.LatencyBy), rate(t.Rate), "± " + rate(t.RateBy),
			fmt.Sprintf("%.1f", 100*t.Residual), fmt.Sprint(t.Samples)})
	}
	show.Table(w, "table", []show.Column{{Title: "link", Left: true}, {Title: "algorithm", Left: true}, {Title: "latency of a step"}, {Title: "±"},
		{Title: "rate of a rank"}, {Title: "±"}, {Title: "residual %"}, {Title: "samples"}}, rows)
	b, a := m.Before, m.After
	fmt.Fprintf(w, "\nfitted to  %s\n", m.From)
	fmt.Fprintf(w, "planning with it, judged on a second replay of %d layouts:\n", len(b.Layouts))
	fmt.Fprintf(w, "           before     after\ntau-b      %-10.2f %.2f\nregret     %-10s %.1f %%\nstep error %-10s %.1f %%\n",
		b.TauB, a.TauB, fmt.Sprintf("%.1f %%", 100*b.Regret), 100*a.Regret, fmt.Sprintf("%.1f %%", 100*b.Error), 100*a.Error)
}

// TOML returns the profile as the file that --hardware takes.
func (m *Mended) TOML() []byte { return encode(m.Profile, m.Before, m.Terms) }
