package show

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"planner/costmodel"
	"planner/internal/catalog"
)

// Models writes the model presets.
func Models(w io.Writer, format string, list []ModelFacts) {
	var rows [][]string
	for _, f := range list {
		experts := "–"
		if f.Experts > 0 {
			experts = fmt.Sprintf("%d/%d", f.ExpertsPerToken, f.Experts)
		}
		params, active := Params(f.Parameters), Params(f.ActiveParameters)
		if format == "csv" {
			params, active = fmt.Sprint(f.Parameters), fmt.Sprint(f.ActiveParameters)
		}
		rows = append(rows, []string{f.Name, params, active, fmt.Sprint(f.Layers), fmt.Sprint(f.Hidden), fmt.Sprint(f.Heads), fmt.Sprint(f.KVHeads),
			fmt.Sprint(f.HeadDim), fmt.Sprint(f.FFN), fmt.Sprint(f.Vocab), experts})
	}
	Table(w, format, []Column{{"model", true}, {"parameters", false}, {"active", false}, {"layers", false}, {"hidden", false}, {"heads", false}, {"KV", false},
		{"head dim", false}, {"FFN", false}, {"vocab", false}, {"experts", false}}, rows)
}

// Aliases writes the bare sizes and what they stand for; other spellings of
// names need no list. No line is longer than width.
func Aliases(w io.Writer, aliases map[string]string, width int) {
	var parts []string
	bySize := func(a, b string) int {
		return cmp.Or(cmp.Compare(catalog.Parameters(a), catalog.Parameters(b)), strings.Compare(a, b))
	}
	for _, k := range slices.SortedFunc(maps.Keys(aliases), bySize) {
		if k[0] >= '0' && k[0] <= '9' {
			parts = append(parts, k+" = "+aliases[k])
		}
	}
	fmt.Fprintln(w)
	Note(w, "sizes", "%s", strings.Join(wrapList(parts, width-noteIndent), "\n"+strings.Repeat(" ", noteIndent)))
}

// wrapList joins the items of a list to lines of at most width cells.
func wrapList(items []string, width int) []string {
	var lines []string
	for _, item := range items {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+" · "+item) <= width {
			lines[last] += " · " + item
		} else {
			lines = append(lines, item)
		}
	}
	return lines
}

// Model1 writes one model with the breakdown of its parameters.
func Model1(w io.Writer, m *costmodel.Model, f ModelFacts) {
	fmt.Fprintf(w, "%s · %s parameters", title(m.Title, m.Name), Count(f.Parameters))
	if f.ActiveParameters != f.Parameters {
		fmt.Fprintf(w, " · %s active", Count(f.ActiveParameters))
	}
	fmt.Fprintf(w, " · %.1f GFLOP/token at %s tokens\n\n", f.FLOPsPerToken/1e9, Count(f.SeqLen))
	var rows [][]string
	row := func(what string, n int64, how string) {
		rows = append(rows, []string{what, Count(n), fmt.Sprintf("%.2f", 100*float64(n)/float64(f.Parameters)), how})
	}
	row("embedding", m.Embedding(), fmt.Sprintf("%d × %d", m.Vocab, m.Hidden))
	if m.Positions > 0 {
		row("positions", m.PositionEmbedding(), fmt.Sprintf("%d × %d", m.Positions, m.Hidden))
	}
	for i, n := range m.KindCounts() {
		l := &m.Kinds[i]
		row(fmt.Sprintf("%d layers", n), int64(n)*l.Params(m.Hidden).Total(), layerText(l))
	}
	head := "own matrix"
	if m.Tied {
		head = "tied to the embedding"
	}
	row("LM head", m.Head(), head)
	row("other norms", int64(m.FinalNorm+m.EmbedNorm), "")
	Table(w, "table", []Column{{"part", true}, {"parameters", false}, {"%", false}, {"", true}}, rows)
	if m.Source != "" {
		fmt.Fprintf(w, "\nsource %s\n", cited(m.Source, m.AsOf))
	}
}

func layerText(l *costmodel.Layer) string {
	x, f := &l.Mixer, &l.FFN
	var parts []string
	switch x.Kind {
	case costmodel.Attention:
		parts = append(parts, fmt.Sprintf("%d heads of %d, %d KV", x.Heads, x.HeadDim, x.KVHeads))
	case costmodel.MLA:
		parts = append(parts, fmt.Sprintf("MLA, %d heads of %d+%d, ranks q %d kv %d", x.Heads, x.HeadDim-x.RopeDim, x.RopeDim, x.QRank, x.KVRank))
	case costmodel.Linear:
		parts = append(parts, fmt.Sprintf("gated delta net, %d heads", x.Heads))
	case costmodel.Mamba2:
		parts = append(parts, fmt.Sprintf("Mamba-2, %d heads, state %d", x.Heads, x.State))
	}
	if x.Window > 0 {
		parts = append(parts, fmt.Sprintf("window %d", x.Window))
	}
	if f.Width > 0 {
		parts = append(parts, fmt.Sprintf("MLP %d", f.Width))
	}
	if f.Experts > 0 {
		parts = append(parts, fmt.Sprintf("%d experts of %d, top %d", f.Experts, f.ExpertWidth, f.TopK))
	}
	if f.Shared > 0 {
		parts = append(parts, fmt.Sprintf("shared %d", f.Shared))
	}
	return strings.Join(parts, " · ")
}
