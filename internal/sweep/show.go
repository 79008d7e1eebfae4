package sweep

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"planner/internal/show"
)

// Show writes the points as a table.
func Show(w io.Writer, format string, r *Result) {
	cols := r.columns(format)
	heads := make([]show.Column, len(cols))
	for i, c := range cols {
		heads[i] = c.Column
	}
	rows := make([][]string, len(r.Points))
	for i := range r.Points {
		for _, c := range cols {
			rows[i] = append(rows[i], c.cell(&r.Points[i]))
		}
	}
	show.Table(w, format, heads, rows)
}

// Header says what was swept and what was held.
func Header(w io.Writer, r *Result) {
	if len(r.Points) == 0 {
		return
	}
	a := r.Points[0].Answer
	held := fmt.Sprintf("%s · sequence %s · global batch %s", a.Problem.Model.Name, show.Count(a.SeqLen), show.Count(r.Batch))
	switch {
	case r.axis("gpus") < 0:
		held = fmt.Sprintf("%s · %s GPUs", held, show.Count(a.GPUs))
	case r.Scale == Weak:
		held = "weak scaling · batch grows with the GPUs · " + held + " at the first"
	default:
		held = "strong scaling · " + held
	}
	fmt.Fprintf(w, "%s · %s · best layout at each point · eff against the best row\n\n", held, a.Hardware)
}

type column struct {
	show.Column
	cell func(*Point) string
}

var axisTitles = map[string]string{"gpus": "GPUs", "seq-len": "seq", "global-batch": "batch", "inter-node": "network", "tp": "TP", "pp": "PP",
	"vpp": "VPP", "cp": "CP", "ep": "EP", "etp": "ETP", "zero": "ZeRO", "mbs": "MBS", "recompute": "rec", "max-memory": "memory"}

func axisTitle(name string) string {
	if t := axisTitles[name]; t != "" {
		return t
	}
	return name
}

func (r *Result) columns(format string) []column {
	var cols []column
	for i, a := range r.Axes {
		title := axisTitle(a.Name)
		if format == "csv" {
			title = a.Name
		}
		cols = append(cols, column{show.Column{Title: title, Left: !numeric(a)}, func(p *Point) string { return grouped(p.Values[i], format) }})
	}
	exact := format == "csv"
	number := func(digits int, get func(*Point) float64) func(*Point) string {
		return func(p *Point) string {
			switch {
			case p.Best == nil:
				return dash(exact)
			case exact:
				return strconv.FormatFloat(get(p), 'g', 8, 64)
			}
			return commas(get(p), digits)
		}
	}
	add := func(title, name string, cell func(*Point) string) {
		if exact {
			title = name
		}
		cols = append(cols, column{show.Column{Title: title}, cell})
	}
	cols = append(cols, column{show.Column{Title: "layout", Left: true}, func(p *Point) string {
		if p.Best == nil {
			return p.Reason
		}
		return p.Best.Layout.String()
	}})
	add("step s", "step_seconds", number(2, func(p *Point) float64 { return float64(p.Best.Step) }))
	add("MFU %", "mfu_percent", number(1, func(p *Point) float64 { return 100 * p.mfu() }))
	add("Mtok/s", "mtokens_per_second", number(2, func(p *Point) float64 { return p.TokensPerSecond / 1e6 }))
	add("tok/s/GPU", "tokens_per_second_per_gpu", number(0, func(p *Point) float64 { return p.TokensPerSecond / float64(p.Answer.GPUs) }))
	add("eff %", "efficiency_percent", number(1, func(p *Point) float64 { return 100 * p.Efficiency }))
	add("mem GiB", "memory_gib", number(1, func(p *Point) float64 { return p.Best.Memory.Total().GiB() }))
	r.trainColumns(add, number)
	add("front", "front", func(p *Point) string {
		return map[bool]string{true: "•"}[p.Front]
	})
	if format == "table" {
		cols = append(cols, column{show.Column{Title: "MFU", Left: true}, bar})
	}
	return cols
}

func (r *Result) trainColumns(add func(string, string, func(*Point) string), number func(int, func(*Point) float64) func(*Point) string) {
	if r.Tokens == 0 {
		return
	}
	add("days", "days", number(1, func(p *Point) float64 { return p.Days }))
	if r.Price > 0 {
		add("M$", "million_dollars", number(1, func(p *Point) float64 { return p.Dollars / 1e6 }))
	}
	if len(r.Points) > 0 && r.Points[0].Answer.Problem.Cluster.GPU.Power > 0 {
		add("GWh", "energy_gwh", number(2, func(p *Point) float64 { return p.Energy / 3.6e12 }))
	}
}

func (p *Point) mfu() float64 { return p.Answer.Problem.Rates(p.Best).MFU }

// bar draws MFU, an eighth of a block each 0.8 points.
func bar(p *Point) string {
	if p.Best == nil {
		return ""
	}
	eighths := int(p.mfu()*125 + 0.5)
	const parts = " ▏▎▍▌▋▊▉"
	s := strings.Repeat("█", eighths/8)
	if n := eighths % 8; n > 0 {
		s += string([]rune(parts)[n])
	}
	return s
}

func dash(exact bool) string {
	if exact {
		return ""
	}
	return "—"
}

func numeric(a Axis) bool {
	_, err := strconv.Atoi(a.Values[0])
	return err == nil
}

func grouped(v, format string) string {
	if n, err := strconv.Atoi(v); err == nil && format != "csv" {
		return show.Count(n)
	}
	return v
}

// commas writes a number with thousands separated.
func commas(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	whole, rest, _ := strings.Cut(s, ".")
	n, err := strconv.Atoi(whole)
	if err != nil {
		return s
	}
	if digits > 0 {
		rest = "." + rest
	}
	return show.Count(n) + rest
}

// Notes says how to read the table.
func Notes(w io.Writer, r *Result) {
	if k, loss := r.Knee(); k >= 0 {
		show.Note(w, "knee", "the doubling to %s GPUs is the first that costs more than %.0f points of efficiency (%.1f)", grouped(r.Points[k].Values[0], ""), 100*KneeLoss, 100*loss)
	}
	if r.Tokens > 0 {
		show.Note(w, "to train", "%.4g tokens, without restarts, evaluation or checkpoints", r.Tokens)
		if r.Price > 0 {
			show.Note(w, "price", "%.2f $ per GPU hour, %s", r.Price, r.PriceSource)
		} else {
			show.Note(w, "price", "not known: give --price in $ per GPU hour")
		}
		if g := r.power(); g > 0 {
			show.Note(w, "energy", "%.0f W board power per accelerator × time; without hosts, network and cooling", g)
		}
	}
	if r.axis("gpus") >= 0 {
		show.Note(w, "front", "• no other point is both faster and cheaper per token")
	} else {
		show.Note(w, "front", "• no other point is both faster and leaner in memory")
	}
}

func (r *Result) power() float64 {
	if len(r.Points) == 0 {
		return 0
	}
	return float64(r.Points[0].Answer.Problem.Cluster.GPU.Power)
}
