package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// notes says what was taken for the blanks of the rows, which of them do not
// count, and where the file will describe another machine than they do.
func notes(rep *validate.Report, file string, given bool) []string {
	var out []string
	if n := rep.NoteTaken(); n != "" {
		out = append(out, n)
	}
	for i := range rep.Rows {
		if r := &rep.Rows[i]; r.Skipped != "" {
			out = append(out, fmt.Sprintf("skipped: line %d: %s", r.Line, r.Skipped))
		}
	}
	columns, open := beside(rep, file, given)
	switch {
	case len(columns) > 0 && given:
		out = append(out, fmt.Sprintf("not read: %s: --hardware %s says", strings.Join(columns, ", "), file))
	case len(columns) > 0:
		out = append(out, fmt.Sprintf("not in the file, which describes %s as it stands: %s: want --hardware FILE.toml that says so", file, strings.Join(columns, ", ")))
	}
	if open {
		out = append(out, fmt.Sprintf("inter_node blank: predicted with the share of the network that published runs on %s reached; "+
			"the file states all of it: want --hardware with the cluster of the runs, and its estimates are those of explain", file))
	}
	return out
}

// beside names the columns that say another machine than the file does, and
// reports whether rows leave a network open that they use.
func beside(rep *validate.Report, file string, given bool) (columns []string, open bool) {
	c, err := catalog.Described(file)
	if err != nil {
		return nil, false
	}
	add := func(column string, other bool) {
		if other && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	for i := range rep.Rows {
		if rep.Rows[i].Skipped != "" {
			continue
		}
		row := rep.Rows[i].Case
		r := row.Run
		add("gpus_per_node", r.PerNode > 0 && r.PerNode != c.PerNode)
		add("nvlink_domain", r.Domain > 0 && r.Domain != c.Domain())
		add("inter_node", r.InterNode != "" && (given || !sameNetwork(row.Cluster, c)))
		open = open || row.Unstated && row.Cluster.GPUs > row.Cluster.Domain()
	}
	return columns, open
}

// sameNetwork compares what joins nodes.
func sameNetwork(a, b *hardware.Cluster) bool {
	return slices.EqualFunc(a.Tiers[a.ScaleUp+1:], b.Tiers[b.ScaleUp+1:], func(x, y hardware.Tier) bool {
		return x.Kind == y.Kind && x.Bandwidth == y.Bandwidth
	})
}
