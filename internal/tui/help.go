package tui

import (
	"fmt"
	"strings"

	"planner/internal/tui/state"
)

// help draws all keys in columns by group.
func (d *drawing) help(h int) []string {
	var lines []string
	if d.s.W >= state.WideWidth {
		lines = d.helpColumns(state.HelpGroups[:3], d.s.W-4)
		lines = append(append(lines, ""), d.helpColumns(state.HelpGroups[3:], d.s.W-4)...)
	} else {
		lines = d.helpColumns([]string{"MOVE", "LOOK"}, d.s.W-3)
		lines = append(lines, d.helpColumns([]string{"FIND", "CHANGE"}, d.s.W-3)...)
		lines = append(lines, d.helpColumns([]string{"OUT"}, 2*(d.s.W-3))...)
	}
	if len(lines)+5 <= h-2 {
		lines = append(lines, "", " filter   tp=8  tp=4,8  zero>=1  mem<70GiB  mfu>0.45  step<9  !cp=2  framework=megatron  /regex/   all must hold",
			" colours  every colour is a letter or pattern too; NO_COLOR is honoured",
			" marks    ▶ cursor  ● marked  ◆ pinned  ! does not fit into memory  × not allowed by a rule, which stands beside",
			" every screen is also a command: it stands in the line above the keys")
	}
	return d.box("keys · any key closes", lines, h)
}

func (d *drawing) helpColumns(groups []string, w int) []string {
	each := w / len(groups)
	var columns [][]string
	most := 0
	for _, g := range groups {
		col := []string{d.t.bold.Render(" " + g)}
		seen := map[string]bool{}
		for _, b := range state.Bindings {
			if b.Group == g && !seen[b.Keys+b.Help] {
				seen[b.Keys+b.Help] = true
				col = append(col, fmt.Sprintf("  %s %s", d.t.bold.Render(fit(b.Keys, 9)), b.Help))
			}
		}
		columns = append(columns, col)
		most = max(most, len(col))
	}
	out := make([]string, most)
	for i := range out {
		var line strings.Builder
		for _, c := range columns {
			text := ""
			if i < len(c) {
				text = c[i]
			}
			line.WriteString(fit(text, each))
		}
		out[i] = line.String()
	}
	return out
}
