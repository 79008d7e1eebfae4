package sweep

import "planner/internal/show"

// Document is the JSON of a sweep.
type Document struct {
	SchemaVersion int        `json:"schema_version"`
	Scaling       Scaling    `json:"scaling"`
	Axes          []AxisDoc  `json:"axes"`
	Tokens        float64    `json:"tokens,omitempty"`
	Price         float64    `json:"dollars_per_gpu_hour,omitempty"`
	Points        []PointDoc `json:"points"`
	Interrupted   bool       `json:"interrupted"`
}

// AxisDoc is one swept dimension.
type AxisDoc struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// PointDoc is one point. Layout is null where nothing fits.
type PointDoc struct {
	At              map[string]string `json:"at"`
	GPUs            int               `json:"gpus"`
	SeqLen          int               `json:"seq_len"`
	GlobalBatch     int               `json:"global_batch"`
	Layout          *show.Layout      `json:"layout"`
	Reason          string            `json:"reason,omitempty"`
	TokensPerSecond float64           `json:"tokens_per_second"`
	Efficiency      float64           `json:"efficiency"`
	TrainSeconds    float64           `json:"train_seconds,omitempty"`
	Dollars         float64           `json:"dollars,omitempty"`
	EnergyJoules    float64           `json:"energy_joules,omitempty"`
	Front           bool              `json:"front"`
}

// NewDocument describes a sweep.
func NewDocument(r *Result) Document {
	d := Document{SchemaVersion: show.SchemaVersion, Scaling: r.Scale, Tokens: r.Tokens, Price: r.Price, Interrupted: r.Interrupted, Points: []PointDoc{}}
	for _, a := range r.Axes {
		d.Axes = append(d.Axes, AxisDoc(a))
	}
	for i := range r.Points {
		p := &r.Points[i]
		x := PointDoc{At: map[string]string{}, GPUs: p.Answer.GPUs, SeqLen: p.Answer.SeqLen, GlobalBatch: p.Answer.GlobalBatch, Reason: p.Reason,
			TokensPerSecond: p.TokensPerSecond, Efficiency: p.Efficiency, TrainSeconds: p.Days * 86400, Dollars: p.Dollars, EnergyJoules: p.Energy, Front: p.Front}
		for k, a := range r.Axes {
			x.At[a.Name] = p.Values[k]
		}
		if p.Best != nil {
			l := show.NewLayout(p.Answer.Problem, p.Best, 1, 1)
			x.Layout = &l
		}
		d.Points = append(d.Points, x)
	}
	return d
}
