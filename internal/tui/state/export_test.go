package state

import (
	"fmt"
	"strings"
)

var viewNames = map[View]string{Table: "table", Detail: "detail", WhatIf: "what-if", Pareto: "Pareto", Scaling: "scaling", Sensitivity: "sensitivity",
	Compare: "compare", Columns: "columns", Output: "output"}

// Sheet returns the cheat sheet of all keys as Markdown.
func Sheet() string {
	var b strings.Builder
	b.WriteString("| keys | do | on |\n|---|---|---|\n")
	for _, g := range HelpGroups {
		for _, k := range Bindings {
			if k.Group != g {
				continue
			}
			var on []string
			for _, v := range k.In {
				on = append(on, viewNames[v])
			}
			if on == nil {
				on = []string{"every screen"}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Keys, k.Help, strings.Join(on, ", "))
		}
	}
	return b.String()
}
