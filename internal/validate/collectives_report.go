package validate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// CollectivesReport is what `validate --collectives` prints: see DESIGN, the
// contracts.
type CollectivesReport struct {
	Rows    []CollectiveRow   `json:"rows"`
	Summary CollectiveSummary `json:"summary"`
}

// CollectiveRow is one row of the table beside its prediction. Times are in
// µs; null where the row has none.
type CollectiveRow struct {
	Line        int      `json:"line"` // 1-based line of the file
	Collective  string   `json:"collective"`
	Bytes       float64  `json:"bytes"`
	MeasuredUS  *float64 `json:"measured_us"`
	PredictedUS *float64 `json:"predicted_us"`
	Algorithm   string   `json:"algorithm"`
	Skipped     string   `json:"skipped"` // why there is no prediction; "" else
}

// CollectiveSummary is the absolute relative error of the predictions, above
// and up to 64 KiB, in all and per fabric.
type CollectiveSummary struct {
	Rows      int                    `json:"rows"`
	Predicted int                    `json:"predicted"`
	Skipped   int                    `json:"skipped"`
	Above     ErrorStat              `json:"above_64kib"`
	Below     ErrorStat              `json:"up_to_64kib"`
	Fabrics   []CollectiveFabricStat `json:"fabrics"`
}

// CollectiveFabricStat is the summary of one fabric_kind.
type CollectiveFabricStat struct {
	Fabric string    `json:"fabric"`
	Above  ErrorStat `json:"above_64kib"`
	Below  ErrorStat `json:"up_to_64kib"`
}

// ErrorStat describes |predicted/measured − 1| over some rows, in percent.
type ErrorStat struct {
	Count  int     `json:"count"`
	Median float64 `json:"median_percent"`
	P90    float64 `json:"p90_percent"`
	Mean   float64 `json:"mean_percent"`
}

// threshold separates messages that bandwidth decides from those that latency
// does.
const threshold = 64 * unit.KiB

// Collectives predicts every row of a table with the given constants. A
// prediction reads what the row says of the call and its machine, never what
// it says was measured.
func Collectives(rows []Measured, k *collective.Constants) (*CollectivesReport, error) {
	fabrics := map[Machine]*collective.Fabric{}
	spans := map[Machine]hardware.Span{}
	out := &CollectivesReport{Rows: make([]CollectiveRow, len(rows))}
	for i := range rows {
		m, row := &rows[i], &out.Rows[i]
		*row = CollectiveRow{Line: m.Line, Collective: m.Collective, Bytes: float64(m.Bytes), Skipped: m.Skipped}
		if m.Seconds > 0 {
			row.MeasuredUS = micros(m.Seconds)
		}
		if m.Skipped != "" {
			continue
		}
		f := fabrics[m.Machine]
		if f == nil {
			c, span, err := m.Cluster()
			if err != nil {
				return nil, err
			}
			f = collective.NewFabric(c, k)
			fabrics[m.Machine], spans[m.Machine] = f, span
		}
		p := f.Time(m.Op, m.Bytes, spans[m.Machine])
		row.PredictedUS, row.Algorithm = micros(p.Seconds), p.Algorithm.String()
	}
	out.Summary = summarizeCollectives(rows, out.Rows)
	return out, nil
}

func micros(s unit.Seconds) *float64 {
	v := float64(s / unit.Microsecond)
	return &v
}

func summarizeCollectives(rows []Measured, predicted []CollectiveRow) CollectiveSummary {
	s := CollectiveSummary{Rows: len(rows)}
	above, below := map[string][]float64{}, map[string][]float64{}
	var names []string
	for i := range predicted {
		p := &predicted[i]
		if p.PredictedUS == nil {
			s.Skipped++
			continue
		}
		s.Predicted++
		if p.MeasuredUS == nil {
			continue
		}
		name := rows[i].Machine.Fabric
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		e := 100 * math.Abs(*p.PredictedUS / *p.MeasuredUS - 1)
		if rows[i].Bytes > threshold {
			above[name], above[""] = append(above[name], e), append(above[""], e)
		} else {
			below[name], below[""] = append(below[name], e), append(below[""], e)
		}
	}
	s.Above, s.Below = errorStat(above[""]), errorStat(below[""])
	slices.Sort(names)
	for _, n := range names {
		s.Fabrics = append(s.Fabrics, CollectiveFabricStat{Fabric: n, Above: errorStat(above[n]), Below: errorStat(below[n])})
	}
	return s
}

func errorStat(e []float64) ErrorStat {
	if len(e) == 0 {
		return ErrorStat{}
	}
	slices.Sort(e)
	return ErrorStat{
		Count: len(e), Mean: stat.Mean(e, nil),
		Median: stat.Quantile(0.5, stat.LinInterp, e, nil),
		P90:    stat.Quantile(0.9, stat.LinInterp, e, nil),
	}
}
