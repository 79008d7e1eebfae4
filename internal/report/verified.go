package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"planner/internal/catalog"
)

// Verification is what a measurement on the machines said, as `planner verify
// --format json` prints it. Fields that a document lacks are left out of the
// report.
type Verification struct {
	Verdict string             `json:"verdict"` // holds, does not hold, inconclusive
	Reason  string             `json:"reason"`  // one sentence
	Tau     *float64           `json:"kendall_tau_b"`
	Regret  *float64           `json:"top1_regret"` // relative
	Shares  map[string]float64 `json:"shares"`      // of the step, by how known: measured, scaled, assumed
	Layouts []MeasuredLayout   `json:"layouts"`
	Calls   []MeasuredCall     `json:"calls"`
}

// MeasuredLayout is one layout's step, predicted and measured.
type MeasuredLayout struct {
	Layout    string  `json:"layout"`
	Predicted float64 `json:"predicted_step_seconds"`
	Measured  float64 `json:"measured_step_seconds"`
}

// MeasuredCall is one call's time, predicted and measured.
type MeasuredCall struct {
	Op        string  `json:"op"`
	Purpose   string  `json:"purpose"`
	GroupSize int     `json:"group_size"`
	Bytes     float64 `json:"bytes"`
	Predicted float64 `json:"predicted_seconds"`
	Measured  float64 `json:"measured_seconds"`
	How       string  `json:"how"` // measured, scaled or assumed
}

// ReadVerification reads the file of --verified.
func ReadVerification(path string) (*Verification, error) {
	text, err := catalog.ReadFile("measurement", path)
	if err != nil {
		return nil, err
	}
	v := &Verification{}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, catalog.Errorf("--verified %q: not JSON of planner verify: %s", path, err)
	}
	if v.Verdict == "" && v.Layouts == nil && v.Calls == nil {
		return nil, catalog.Errorf("--verified %q: neither verdict, layouts nor calls: want what planner verify --format json prints", path)
	}
	return v, nil
}

func verificationSection(r *Review) Section {
	s := Section{ID: "verification", Title: "Verification"}
	v := r.Verified
	if v == nil {
		s.Lead = []string{"Not verified: every figure of this report is predicted. On the machines themselves, planner verify runs the calls of this layout and compares; planner report --verified FILE adds what it found."}
		return s
	}
	if v.Verdict != "" {
		s.Verdict = sentence(v.Verdict, v.Reason)
	}
	if v.Tau != nil {
		s.Lead = append(s.Lead, fmt.Sprintf("Order of the layouts, predicted against measured: Kendall's tau-b %.2f.", *v.Tau))
	}
	if v.Regret != nil {
		s.Lead = append(s.Lead, fmt.Sprintf("The predicted best is %.1f %% slower than the measured best.", 100**v.Regret))
	}
	for _, how := range slices.Sorted(maps.Keys(v.Shares)) {
		s.Lead = append(s.Lead, fmt.Sprintf("%.1f %% of the step is %s.", 100*v.Shares[how], how))
	}
	if len(v.Layouts) > 0 {
		t := Table{Caption: "Layouts, predicted and measured", Columns: []Column{code("layout"), num("predicted s"), num("measured s"), num("measured / predicted")}}
		for _, l := range v.Layouts {
			t.add(l.Layout, seconds(l.Predicted), seconds(l.Measured), ratio(l.Measured, l.Predicted))
		}
		s.Tables = append(s.Tables, t)
	}
	if len(v.Calls) > 0 {
		s.Tables = append(s.Tables, measuredCalls(v.Calls))
	}
	return s
}

func sentence(verdict, reason string) string {
	if reason == "" {
		return verdict
	}
	return verdict + ": " + reason
}

func measuredCalls(calls []MeasuredCall) Table {
	t := Table{Caption: "Calls, predicted and measured", Columns: []Column{code("call"), txt("purpose"), num("ranks"), num("M"), num("predicted ms"), num("measured ms"), num("measured / predicted"), txt("how known")}}
	for _, c := range calls {
		t.add(c.Op, c.Purpose, fmt.Sprint(c.GroupSize), decimal(c.Bytes), millis(c.Predicted), millis(c.Measured), ratio(c.Measured, c.Predicted), c.How)
	}
	return t
}

func ratio(a, b float64) string {
	if !(a > 0 && b > 0) {
		return "—"
	}
	return fmt.Sprintf("%.2f", a/b)
}
