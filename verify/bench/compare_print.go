package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

func writePairs(out io.Writer, o *Options, pairs []Pair) error {
	names := pairNames[o.Compare]
	switch o.Format {
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			SchemaVersion int    `json:"schema_version"`
			Compare       string `json:"compare"`
			A             string `json:"a"`
			B             string `json:"b"`
			Pairs         []Pair `json:"pairs"`
		}{1, o.Compare.String(), names[0], names[1], pairs})
	case "csv":
		w := csv.NewWriter(out)
		_ = w.Write([]string{"compare", "bytes", "a_us", "b_us", "ratio", "expected_ratio", "noise", "wrong"})
		for _, p := range pairs {
			_ = w.Write([]string{o.Compare.String(), strconv.Itoa(p.Size), num(p.A), num(p.B), num(p.Ratio), num(p.Expected), num(p.Noise), strconv.Itoa(p.Wrong)})
		}
		w.Flush()
		return w.Error()
	}
	pr := newPrinter(out, "table")
	pr.line("# planner bench: %s against %s, %d ranks, %s", names[0], names[1], o.Ranks, where[o.Kind])
	pr.line("%12s  %12s  %*s  %8s  %8s  %7s  %6s", "size (B)", names[0]+" us", len(names[1])+3, names[1]+" us", "B / A", "expected", "noise", "#wrong")
	for _, p := range pairs {
		pr.line("%12d  %*.2f  %*.2f  %7.2fx  %7.2fx  %5.1f %%  %6d  %s%s", p.Size, max(12, len(names[0])+3), p.A, len(names[1])+3, p.B,
			p.Ratio, p.Expected, p.Noise*100, p.Wrong, p.verdict(), p.parts())
	}
	return pr.err
}

func (p Pair) verdict() string {
	if p.Same() {
		return "~ as expected"
	}
	return fmt.Sprintf("%+.1f %%", (p.Ratio/p.Expected-1)*100)
}

func (p Pair) parts() string {
	if len(p.Parts) < 2 {
		return ""
	}
	var s []string
	for _, t := range p.Parts {
		s = append(s, fmt.Sprintf("%.2f", t))
	}
	return " (" + strings.Join(s, " + ") + ")"
}
