package sensitivity

import (
	"fmt"
	"io"
	"math"
	"strings"

	"planner/internal/show"
)

// Show writes the base, the knobs, the hardware and where the choice changes.
func Show(w io.Writer, format string, r *Result) {
	p := r.Answer.Problem
	if format == "table" {
		fmt.Fprintf(w, "base  %s · %s\n      step %.3f s · MFU %s %% · %.1f of %.1f GiB\n\n", r.Base.Layout, r.Base.Framework.Name,
			r.Base.Step, show.Percent(p.Rates(&r.Base).MFU), r.Base.Memory.Total().GiB(), p.Capacity().GiB())
	}
	if format == "csv" {
		csv(w, r)
		return
	}
	knobTable(w, format, r)
	fmt.Fprintln(w)
	figureTable(w, format, r)
	if format == "table" && len(r.Thresholds) > 0 {
		fmt.Fprintln(w, "\nthe choice changes below")
		var rows [][]string
		for _, t := range r.Thresholds {
			rows = append(rows, []string{"  " + t.Figure, t.Below, t.Layout})
		}
		show.Table(w, format, []show.Column{{Left: true}, {}, {Left: true}}, rows)
	}
}

func knobTable(w io.Writer, format string, r *Result) {
	cols := []show.Column{{Title: "knob", Left: true}, {Title: "from"}, {Title: "to"}, {Title: "step s"}, {Title: "Δ %"}, {Title: "mem GiB"},
		{Title: "slower ◄ step ► faster", Left: true}, {Title: "against the choice", Left: true}}
	var rows [][]string
	for i := range r.Knobs {
		k := &r.Knobs[i]
		row := []string{k.Name, k.From, k.To, "—", "—", "—", "", r.Stands(k)}
		if e := k.Estimate; e != nil {
			d := float64(e.Step/r.Base.Step) - 1
			row[3], row[4], row[5] = fmt.Sprintf("%.3f", e.Step), fmt.Sprintf("%+.1f", 100*d), fmt.Sprintf("%.1f", e.Memory.Total().GiB())
			row[6] = arrow(d)
			if !e.Fits {
				row[7] = fmt.Sprintf("does not fit: %.1f GiB short", (e.Memory.Total() - r.Answer.Problem.Capacity()).GiB())
			}
		} else {
			row[7] = "not legal: " + k.Reason
		}
		rows = append(rows, row)
	}
	show.Table(w, format, cols, rows)
}

// arms is the length of a bar on one side, in blocks of 3 %.
const arms = 11

// arrow draws a change: to the left of the line slower, to the right faster.
func arrow(d float64) string {
	n := min(int(math.Abs(d)/0.03+0.5), arms-1)
	if math.Abs(d) < 0.0005 {
		return strings.Repeat(" ", arms) + "│"
	}
	if d > 0 {
		return strings.Repeat(" ", arms-1-n) + "◄" + strings.Repeat("█", n) + "│"
	}
	return strings.Repeat(" ", arms) + "│" + strings.Repeat("█", n) + "►"
}

func figureTable(w io.Writer, format string, r *Result) {
	cols := []show.Column{{Title: "hardware figure, ±10 %", Left: true}, {Title: "+10 %: Δ %"}, {Title: "-10 %: Δ %"}, {Title: "first of the ranking stays", Left: true}}
	var rows [][]string
	for i := range r.Figures {
		f := &r.Figures[i]
		rows = append(rows, []string{f.Name, fmt.Sprintf("%+.1f", 100*f.Up), fmt.Sprintf("%+.1f", 100*f.Down), stays(f)})
	}
	show.Table(w, format, cols, rows)
}

// stays says whether the first of the ranking is still first.
func stays(f *Figure) string {
	at := fmt.Sprintf("%+.0f %%", 100*f.At)
	switch {
	case f.First == "":
		return "yes"
	case f.Tie:
		return fmt.Sprintf("tie at %s with %s", at, f.First)
	case f.Gain == 1:
		return fmt.Sprintf("no: at %s it does not fit, %s is first", at, f.First)
	}
	return fmt.Sprintf("no: at %s %s is %.1f %% faster", at, f.First, 100*f.Gain)
}

func csv(w io.Writer, r *Result) {
	var rows [][]string
	for i := range r.Knobs {
		k := &r.Knobs[i]
		row := []string{"knob", k.Name, k.From, k.To, "", "", r.Stands(k)}
		if e := k.Estimate; e != nil {
			row[4], row[5] = fmt.Sprintf("%g", float64(e.Step)), fmt.Sprintf("%g", float64(e.Memory.Total()))
		}
		rows = append(rows, row)
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		for _, s := range []struct {
			to    string
			delta float64
		}{{"+10%", f.Up}, {"-10%", f.Down}} {
			rows = append(rows, []string{"hardware", f.Name, "", s.to, fmt.Sprintf("%g", float64(r.Base.Step)*(1+s.delta)), fmt.Sprintf("%g", float64(r.Base.Memory.Total())), stays(f)})
		}
	}
	show.Table(w, "csv", []show.Column{{Title: "kind"}, {Title: "name"}, {Title: "from"}, {Title: "to"}, {Title: "step_seconds"}, {Title: "memory_bytes"}, {Title: "verdict"}}, rows)
}

// Document is the JSON of a sensitivity analysis.
type Document struct {
	show.Head
	Layout     show.Layout    `json:"layout"`
	First      string         `json:"first"`
	Knobs      []KnobDoc      `json:"knobs"`
	Hardware   []FigureDoc    `json:"hardware"`
	Thresholds []ThresholdDoc `json:"thresholds"`
}

// KnobDoc is one knob turned; Layout is null where no legal value lies that way.
type KnobDoc struct {
	Knob    string       `json:"knob"`
	From    string       `json:"from"`
	To      string       `json:"to"`
	Layout  *show.Layout `json:"layout"`
	Change  float64      `json:"step_change"`
	Verdict string       `json:"verdict"`
	Reason  string       `json:"reason,omitempty"`
}

// FigureDoc is one figure of the hardware at ±10 %.
type FigureDoc struct {
	Figure string  `json:"figure"`
	Up     float64 `json:"step_change_up"`
	Down   float64 `json:"step_change_down"`
	Stays  bool    `json:"first_stays"`
	Tie    bool    `json:"tie"`
	First  string  `json:"new_first,omitempty"`
	Gain   float64 `json:"gain,omitempty"`
}

// ThresholdDoc is where the choice changes.
type ThresholdDoc struct {
	Figure string `json:"figure"`
	Below  string `json:"below"`
	Layout string `json:"layout"`
}

// NewDocument describes a result.
func NewDocument(r *Result) Document {
	p := r.Answer.Problem
	d := Document{Head: show.NewHead(r.Answer), Layout: show.NewLayout(p, &r.Base, 1, 1), Knobs: []KnobDoc{}, Hardware: []FigureDoc{}, Thresholds: []ThresholdDoc{}}
	if r.First != nil {
		d.First = r.First.Layout.String()
	}
	for i := range r.Knobs {
		k := &r.Knobs[i]
		x := KnobDoc{Knob: k.Name, From: k.From, To: k.To, Verdict: r.Stands(k), Reason: k.Reason}
		if k.Estimate != nil {
			l := show.NewLayout(p, k.Estimate, 1, 1)
			x.Layout, x.Change, x.Reason = &l, float64(k.Estimate.Step/r.Base.Step)-1, ""
		}
		d.Knobs = append(d.Knobs, x)
	}
	for _, f := range r.Figures {
		d.Hardware = append(d.Hardware, FigureDoc{f.Name, f.Up, f.Down, f.First == "", f.Tie, f.First, f.Gain})
	}
	for _, t := range r.Thresholds {
		d.Thresholds = append(d.Thresholds, ThresholdDoc(t))
	}
	return d
}
