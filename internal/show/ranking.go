package show

import (
	"io"
	"strconv"
	"strings"

	"planner/internal/ask"
	"planner/strategies"
)

// Ranking writes the ranked layouts. Columns that say the same in every row
// and are not worth a look are left out of the table for people.
func Ranking(w io.Writer, format string, p *strategies.Problem, list []strategies.Estimate) {
	ties := strategies.TieGroups(list)
	cols := rankingColumns(p, list, format != "table")
	heads := make([]Column, len(cols))
	for i, c := range cols {
		heads[i] = c.Column
	}
	rows := make([][]string, len(list))
	for i := range list {
		e := &list[i]
		r := row{p: p, e: e, rates: p.Rates(e), rank: i + 1, tie: ties[i], slower: float64(e.Step/list[0].Step) - 1, marginal: Marginal(p, e)}
		for _, c := range cols {
			rows[i] = append(rows[i], c.cell(&r))
		}
	}
	Table(w, format, heads, rows)
}

type row struct {
	p         *strategies.Problem
	e         *strategies.Estimate
	rates     strategies.Rates
	rank, tie int
	slower    float64
	marginal  bool
}

type column struct {
	Column
	cell func(*row) string
}

// rankingColumns returns the columns in the order every screen keeps: the
// layout, how fast, how full, how it compares.
func rankingColumns(p *strategies.Problem, list []strategies.Estimate, all bool) []column {
	l := func(e *strategies.Estimate) *strategies.Layout { return &e.Layout }
	number := func(get func(*strategies.Layout) int) func(*row) string {
		return func(r *row) string { return strconv.Itoa(get(l(r.e))) }
	}
	cols := []column{
		{Column{Title: "#"}, func(r *row) string { return strconv.Itoa(r.rank) }},
		{Column{Title: "tie"}, func(r *row) string { return letter(r.tie) }},
	}
	for _, d := range []struct {
		title  string
		always bool
		get    func(*strategies.Layout) int
	}{
		{"TP", true, func(l *strategies.Layout) int { return l.TP }},
		{"PP", true, func(l *strategies.Layout) int { return l.PP }},
		{"VPP", false, func(l *strategies.Layout) int { return l.VPP }},
		{"CP", false, func(l *strategies.Layout) int { return l.CP }},
		{"EP", false, func(l *strategies.Layout) int { return l.EP }},
		{"ETP", false, func(l *strategies.Layout) int { return l.ETP }},
		{"DP", true, func(l *strategies.Layout) int { return l.DP }},
		{"ZeRO", true, func(l *strategies.Layout) int { return l.Zero }},
		{"MBS", true, func(l *strategies.Layout) int { return l.MBS }},
	} {
		if d.title == "ETP" && !anyETP(list) {
			continue
		}
		if all || d.always || d.title == "ETP" || anyAbove(list, d.get) {
			cols = append(cols, column{Column{Title: d.title}, number(d.get)})
		}
	}
	if anyPartialShard(list) || all {
		cols = append(cols, column{Column{Title: "shard"}, func(r *row) string {
			if r.e.Layout.Zero == 0 {
				return "–"
			}
			return strconv.Itoa(r.e.Layout.Shard)
		}})
	}
	cols = append(cols, resultColumns(all || longContext(list, p), all)...)
	switch {
	case all:
		cols = append(cols, column{Column{Title: "layout", Left: true}, func(r *row) string { return r.e.Layout.String() }})
	case anyMore(list):
		cols = append(cols, column{Column{Title: "more", Left: true}, func(r *row) string { return more(&r.e.Layout) }})
	}
	return cols
}

// more returns the pairs of a layout that no column shows.
func more(l *strategies.Layout) string {
	var out []string
	for _, pair := range strings.Split(l.String(), ",") {
		switch key, _, _ := strings.Cut(pair, "="); key {
		case "sp", "schedule", "first", "last", "cpkind", "dispatcher", "offload", "hpz":
			out = append(out, pair)
		}
	}
	return strings.Join(out, ",")
}

func anyMore(list []strategies.Estimate) bool {
	for i := range list {
		if more(&list[i].Layout) != "" {
			return true
		}
	}
	return false
}

// longContext reports whether attention is so large a part of the FLOPs that
// counting it whole or causal are two different figures.
func longContext(list []strategies.Estimate, p *strategies.Problem) bool {
	if len(list) == 0 {
		return false
	}
	return longAttention(p.Rates(&list[0]))
}

func longAttention(r strategies.Rates) bool { return ask.LongAttention(r.MFU, r.MFUCausal) }

// letter names a tie group: a, b, … z, then numbers.
func letter(group int) string {
	if group >= 1 && group <= 26 {
		return string(rune('a' + group - 1))
	}
	return strconv.Itoa(group)
}

// RecomputeCell writes a layout's recomputation as a cell of a ranking.
func RecomputeCell(l *strategies.Layout) string {
	switch {
	case l.Recompute == strategies.RecomputeNone:
		return "–"
	case l.Recompute == strategies.RecomputeSelective:
		return "sel"
	case l.FullLayers > 0:
		return "full:" + strconv.Itoa(l.FullLayers)
	}
	return "full"
}

func anyAbove(list []strategies.Estimate, get func(*strategies.Layout) int) bool {
	for i := range list {
		if get(&list[i].Layout) > 1 {
			return true
		}
	}
	return false
}

func anyETP(list []strategies.Estimate) bool {
	for i := range list {
		if l := &list[i].Layout; l.ETP != l.TP {
			return true
		}
	}
	return false
}

func anyPartialShard(list []strategies.Estimate) bool {
	for i := range list {
		if l := &list[i].Layout; l.Zero > 0 && l.Shard != l.DataRanks() {
			return true
		}
	}
	return false
}
