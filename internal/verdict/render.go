package verdict

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"planner/internal/show"
)

// Render writes a report for people, the verdict first.
func Render(w io.Writer, r *Report) {
	fmt.Fprintf(w, "%s: %s\n\n", r.Verdict.Status, r.Verdict.Sentence)
	r.head(w)
	r.table(w)
	r.statistics(w)
	r.axisTable(w)
	r.callTable(w)
	r.linkTable(w)
}

// barWidth is the length of the longest bar.
const barWidth = 24

func (r *Report) table(w io.Writer) {
	slowest := 0.0
	for _, l := range r.Layouts {
		slowest = max(slowest, l.Measured)
	}
	rows := make([][]string, 0, len(r.Layouts))
	pred, meas := order(r.Layouts, func(l Layout) float64 { return l.Predicted }), order(r.Layouts, func(l Layout) float64 { return l.Measured })
	for _, i := range pred {
		l := r.Layouts[i]
		rows = append(rows, []string{strconv.Itoa(slices.Index(pred, i) + 1), strconv.Itoa(slices.Index(meas, i) + 1), l.Layout, l.Framework,
			ms(l.Predicted), ms(l.Measured), "± " + ms(l.StdErr), fmt.Sprintf("%+.1f", 100*(l.Predicted/l.Measured-1)),
			strings.Repeat("█", max(1, int(barWidth*l.Measured/slowest+0.5)))})
	}
	show.Table(w, "table", []show.Column{{Title: "pred"}, {Title: "meas"}, {Title: "layout", Left: true}, {Title: "framework", Left: true},
		{Title: "predicted ms"}, {Title: "measured ms"}, {Title: "±"}, {Title: "error %"}, {Title: "", Left: true}}, rows)
	fmt.Fprintln(w)
}

// order returns the indices of layouts, smallest first.
func order(layouts []Layout, by func(Layout) float64) []int {
	var out []int
	for i := range layouts {
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(by(layouts[a]), by(layouts[b])) })
	return out
}

func ms(seconds float64) string { return fmt.Sprintf("%.1f", 1e3*seconds) }

func (r *Report) statistics(w io.Writer) {
	fmt.Fprintf(w, "%-10s %.2f   (95 %%: %.2f … %.2f)     %d of %d pairs are ties under the noise\n", "tau-b", r.TauB, r.TauLow, r.TauHigh, r.Ties, r.Pairs)
	fmt.Fprintf(w, "%-10s %.1f %%  the layout ranked first is that much slower than the best measured\n", "regret", 100*r.Regret)
	fmt.Fprintf(w, "%-10s %.1f %%  mean absolute error\n", "step time", 100*r.Error)
	answer := "no factor on compute would"
	if k := r.Reversal; k > 0 {
		answer = fmt.Sprintf("compute would have to be %.2f× its assumed length to swap the nearest pair", k)
	}
	fmt.Fprintf(w, "could the assumed %.0f %% reverse the order?   %s\n\n", 100*r.Shares.Assumed, answer)
}

// axisTable sums the calls of each axis on the slowest stage of a layout, each
// alone on its links, over the layouts that have it.
func (r *Report) axisTable(w io.Writer) {
	var names []string
	sum, layouts := map[string]*Axis{}, map[string]int{}
	for i := range r.Layouts {
		for _, a := range r.Layouts[i].Axes {
			if sum[a.Axis] == nil {
				sum[a.Axis] = &Axis{}
				names = append(names, a.Axis)
			}
			sum[a.Axis].Predicted += a.Predicted
			sum[a.Axis].Measured += a.Measured
			layouts[a.Axis]++
		}
	}
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sum[b].Measured, sum[a].Measured) })
	var rows [][]string
	for _, n := range names {
		a, k := sum[n], float64(layouts[n])
		rows = append(rows, []string{n, strconv.Itoa(layouts[n]), ms(a.Predicted / k), ms(a.Measured / k), fmt.Sprintf("%.2f", a.Measured/a.Predicted)})
	}
	show.Table(w, "table", []show.Column{{Title: "axis", Left: true}, {Title: "layouts"}, {Title: "predicted ms a step"}, {Title: "measured ms"}, {Title: "ratio"}}, rows)
	fmt.Fprintln(w)
}

// worstCalls is how many calls the table shows.
const worstCalls = 6

func (r *Report) callTable(w io.Writer) {
	calls := slices.Clone(r.Calls)
	slices.SortFunc(calls, func(a, b Call) int { return cmp.Compare(b.off(), a.off()) })
	n := min(worstCalls, len(calls))
	var rows [][]string
	for _, c := range calls[:n] {
		rows = append(rows, []string{c.Op, c.Axis, c.Purpose, megabytes(c.Bytes), strconv.Itoa(c.GroupSize), strconv.Itoa(c.Nodes),
			micro(c.Predicted), micro(c.Measured), fmt.Sprintf("%.2f", c.Ratio()), c.How})
	}
	fmt.Fprintf(w, "calls      the %d that cost the steps most error, of %d kinds\n", n, len(r.Calls))
	show.Table(w, "table", []show.Column{{Title: "op", Left: true}, {Title: "axis", Left: true}, {Title: "purpose", Left: true}, {Title: "MB"}, {Title: "ranks"},
		{Title: "nodes"}, {Title: "predicted µs"}, {Title: "measured µs"}, {Title: "ratio"}, {Title: "run", Left: true}}, rows)
	fmt.Fprintln(w)
}

// off is what a call's error is worth over all steps.
func (c *Call) off() float64 { return math.Abs(c.Ratio()-1) * c.Weight }

func megabytes(b float64) string { return fmt.Sprintf("%.3g", b/1e6) }

func micro(seconds float64) string { return show.Count(int(1e6*seconds + 0.5)) }
