package validate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"planner/internal/catalog"
)

// runColumns are the columns that a prediction cannot do without; every other
// column of the schema may be missing. Columns beyond it are named and ignored.
var runColumns = []string{"framework", "gpu", "gpus", "seq_len", "gbs"}

// knownRunColumns is the schema.
var knownRunColumns = strings.Fields(`run_id group source framework model preset params_b layers hidden heads kv_heads
	ffn vocab gated_mlp seq_len gpu gpus gpus_per_node nvlink_domain inter_node gbs mbs tp sp pp vpp cp ep dp zero shard
	recompute attention kernel precision step_seconds tokens_per_second_per_gpu memory_gib memory_kind outcome notes`)

func runHeader(name, text string) (map[string]int, error) {
	index := map[string]int{}
	for i, c := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\t") {
		c = strings.TrimSpace(c)
		if _, twice := index[c]; twice {
			return nil, catalog.Errorf("%s:1: column %.40q: given twice: want it once", name, c)
		}
		index[c] = i
	}
	for _, c := range runColumns {
		if _, ok := index[c]; ok {
			continue
		}
		for given := range index {
			if catalog.Nearest(given, []string{c}) == c && !slices.Contains(knownRunColumns, given) {
				return nil, catalog.Errorf("%s:1: no column %q: did you mean it by %.40q?", name, c, given)
			}
		}
		return nil, catalog.Errorf("%s:1: no column %q: want tab-separated columns with at least %s", name, c, strings.Join(runColumns, ", "))
	}
	return index, nil
}

// ignored names the columns beyond the schema, in the table's order, with the
// nearest one of the schema that the table lacks.
func ignored(index map[string]int) []string {
	var out []string
	missing := slices.DeleteFunc(slices.Clone(knownRunColumns), func(c string) bool { _, given := index[c]; return given })
	order := slices.SortedFunc(maps.Keys(index), func(a, b string) int { return cmp.Compare(index[a], index[b]) })
	for _, c := range order {
		if c == "" || slices.Contains(knownRunColumns, c) {
			continue
		}
		if near := catalog.Nearest(c, missing); near != "" {
			out = append(out, fmt.Sprintf("%s (did you mean %s?)", printable(c), near))
			continue
		}
		out = append(out, printable(c))
	}
	return out
}

// printable is a table's own text, cut and without what a terminal obeys.
func printable(text string) string {
	return strings.Trim(fmt.Sprintf("%.40q", text), `"`)
}
