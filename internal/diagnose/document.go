package diagnose

import "planner/internal/show"

// Document is the JSON of a diagnosis.
type Document struct {
	show.Head
	Kind     string      `json:"kind"`
	Notes    []string    `json:"notes"`
	Layout   show.Layout `json:"layout"`
	Measured *GapDoc     `json:"measured,omitempty"`
	Shares   []ShareDoc  `json:"shares"`
	Findings []Finding   `json:"findings"`
	Near     []NearDoc   `json:"near"`
	Best     string      `json:"best"`
	BestStep float64     `json:"best_step_seconds"`
}

// GapDoc is a measured step.
type GapDoc struct {
	Step     float64      `json:"step_seconds"`
	Relative float64      `json:"relative"`
	Inside   bool         `json:"inside_band"`
	Could    []Hypothesis `json:"could_explain"`
}

// ShareDoc is a measured share and its likely cause.
type ShareDoc struct {
	Op      string   `json:"op"`
	Share   float64  `json:"share"`
	Exposed float64  `json:"predicted_exposed"`
	Alone   float64  `json:"predicted_alone"`
	Over    bool     `json:"over_threshold"`
	Foreign bool     `json:"beyond_this_layout"`
	Cause   string   `json:"cause,omitempty"`
	Knob    string   `json:"knob,omitempty"`
	Try     []string `json:"try,omitempty"`
}

// NearDoc is a neighbour that is faster.
type NearDoc struct {
	Knob   string      `json:"knob"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Layout show.Layout `json:"layout"`
}

// NewDocument describes a diagnosis.
func NewDocument(d *Diagnosis) Document {
	p := d.Answer.Problem
	doc := Document{Head: show.NewHead(d.Answer), Kind: d.Kind, Notes: append([]string{}, d.Notes...), Layout: show.NewLayout(p, &d.Explain.Estimate, 1, 1),
		Shares: []ShareDoc{}, Findings: append([]Finding{}, d.Findings...), Near: []NearDoc{}}
	if g := d.Gap; g != nil {
		doc.Measured = &GapDoc{float64(g.Measured), g.Relative, g.Inside, append([]Hypothesis{}, g.Could...)}
	}
	for i := range d.Shares {
		a := &d.Shares[i]
		s := ShareDoc{Op: a.Op.String(), Share: a.Value, Exposed: a.Exposed, Alone: a.Alone, Over: a.Over, Foreign: a.Foreign}
		if a.Foreign {
			s.Cause, s.Knob = foreign(d.Subject, a), general[a.Op][1]
		}
		if x := a.Diagnosis; x != nil {
			s.Cause, s.Knob = x.Cause, x.Knob
			for i := range x.Remedy {
				s.Try = append(s.Try, x.Remedy[i].Layout.String())
			}
		}
		doc.Shares = append(doc.Shares, s)
	}
	for _, k := range d.Near {
		doc.Near = append(doc.Near, NearDoc{k.Name, k.From, k.To, show.NewLayout(p, k.Estimate, 1, 1)})
	}
	if d.Best != nil {
		doc.Best, doc.BestStep = d.Best.Layout.String(), float64(d.Best.Step)
	}
	return doc
}
