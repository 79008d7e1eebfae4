package show

import (
	"fmt"
	"io"
	"strings"

	"planner/strategies"
)

// FrameworkDoc is one framework profile.
type FrameworkDoc struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Target    string   `json:"target"`
	Stages    []int    `json:"zero_stages"`
	PPStages  []int    `json:"zero_stages_with_pp"`
	Runs      []string `json:"runs"`
	Gradients string   `json:"gradient_type"`
	PerParam  float64  `json:"bytes_per_parameter"`
	Recipe    string   `json:"recipe"`
	Source    string   `json:"source"`
	AsOf      string   `json:"as_of"`
}

// NewFrameworks describes profiles in order of preference.
func NewFrameworks(profiles []*strategies.Profile) []FrameworkDoc {
	var out []FrameworkDoc
	for _, p := range profiles {
		m := p.Memory
		out = append(out, FrameworkDoc{p.Name, p.Title, p.Target, p.Can.Stages, p.Can.PPStages, abilities(&p.Can), p.Comm.GradType,
			m.Weight + m.Grad + m.Master + m.Moments, p.Recipe, p.Source, p.AsOf})
	}
	return out
}

func abilities(c *strategies.Capabilities) []string {
	var out []string
	add := func(ok bool, what string) {
		if ok {
			out = append(out, what)
		}
	}
	add(c.TP, "tp")
	add(c.SP != "never" && c.TP, "sp")
	add(len(c.PPStages) > 0, "pp")
	add(c.VPP, "vpp")
	add(c.CP, "cp:"+strings.Join(c.CPKinds, "/"))
	add(c.EP, "ep")
	add(len(c.Shards) > 0, "shard")
	add(c.HPZ, "hpz")
	add(c.Offload, "offload")
	add(c.Uneven, "uneven")
	return out
}

// Frameworks writes the profiles, and under them the recipe each follows.
func Frameworks(w io.Writer, format string, list []FrameworkDoc) {
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{f.Name, f.Title, digits(f.Stages), digits(f.PPStages), strings.Join(f.Runs, " "), f.Gradients, fmt.Sprint(f.PerParam)})
	}
	Table(w, format, []Column{{"framework", true}, {"", true}, {"ZeRO", true}, {"with PP", true}, {"runs", true}, {"gradients", true}, {"B/param", false}}, rows)
	if format != "table" {
		return
	}
	fmt.Fprintln(w)
	for _, f := range list {
		Note(w, f.Name, "%s\n%17s%s", f.Recipe, "", f.Target)
	}
}

func digits(n []int) string { return strings.Trim(fmt.Sprint(n), "[]") }
