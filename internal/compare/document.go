package compare

import (
	"math"

	"planner/internal/plan"
	"planner/internal/show"
)

// Document is the JSON of a comparison.
type Document struct {
	SchemaVersion int       `json:"schema_version"`
	Sides         []SideDoc `json:"sides"`
	Terms         []TermDoc `json:"terms"`
	Measure       string    `json:"measure"`
	Best          *int      `json:"best"` // null: cannot be told apart
	Overlap       bool      `json:"bands_overlap"`
	Why           string    `json:"why"`
}

// SideDoc is one side.
type SideDoc struct {
	Given       string       `json:"given"`
	Model       string       `json:"model"`
	Hardware    string       `json:"hardware"`
	GPUs        int          `json:"gpus"`
	SeqLen      int          `json:"seq_len"`
	GlobalBatch int          `json:"global_batch"`
	Precision   string       `json:"precision"`
	Layout      string       `json:"layout"`
	Framework   string       `json:"framework"`
	Predicted   plan.Figures `json:"predicted"`
	Settings    []string     `json:"settings,omitempty"` // those that are not the default, in words
}

// TermDoc is one term of every side, in base units.
type TermDoc struct {
	Term     string    `json:"term"`
	Unit     string    `json:"unit"`
	Values   []float64 `json:"values"`
	Relative []float64 `json:"relative"` // to the first side, −1…; 0 where that is 0
	Verdicts []string  `json:"verdicts"`
	Why      string    `json:"why,omitempty"`
}

// NewDocument describes a comparison.
func NewDocument(c *Comparison) Document {
	d := Document{SchemaVersion: show.SchemaVersion, Measure: c.Measure, Overlap: c.Overlap, Why: c.Why}
	if c.Best >= 0 {
		d.Best = &c.Best
	}
	for _, s := range c.Sides {
		q := &s.Question
		d.Sides = append(d.Sides, SideDoc{s.Given, q.Model, q.Hardware, q.GPUs, q.SeqLen, q.GlobalBatch, q.Precision, s.Plan.Layout, s.Framework, s.Predicted,
			Settings(q)})
	}
	units := map[string]string{"s": "seconds", "%": "fraction", "tok/s": "tokens_per_second", "B": "bytes"}
	for _, t := range c.Terms {
		doc := TermDoc{Term: t.Name, Unit: units[t.Unit], Values: t.Values, Why: t.Why}
		for k, v := range t.Values {
			r := v/t.Values[0] - 1
			if t.Values[0] == 0 || math.IsNaN(r) {
				r = 0
			}
			doc.Relative = append(doc.Relative, r)
			doc.Verdicts = append(doc.Verdicts, t.Verdicts[k].String())
		}
		d.Terms = append(d.Terms, doc)
	}
	return d
}
