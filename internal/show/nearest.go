package show

import (
	"fmt"
	"io"

	"planner/internal/ask"
)

// Nearest writes why nothing fits and what would mend it.
func Nearest(w io.Writer, a *ask.Answer, n *ask.Nearest) {
	p, m := a.Problem, &n.Estimate.Memory
	fmt.Fprintf(w, "nothing fits: %s on %s needs %.1f GiB per GPU at best, %.1f GiB are usable: %.1f GiB short\n\n",
		p.Model.Name, machine(a), m.Total().GiB(), n.Usable.GiB(), n.Missing.GiB())
	Note(w, "nearest", "%s (%s)    GiB per GPU", n.Estimate.Layout, n.Estimate.Framework.Name)
	fmt.Fprintf(w, "%16s weights %.1f · gradients %.1f · master %.1f · moments %.1f\n", "",
		m.Weights.GiB(), m.Gradients.GiB(), m.Master.GiB(), m.Moments.GiB())
	fmt.Fprintf(w, "%16s activations %.1f · logits %.1f · buffers %.1f · fragmentation %.1f · runtime %.1f  = %.1f\n\n", "",
		m.Activations.GiB(), m.Logits.GiB(), m.Buffers.GiB(), m.Fragmentation.GiB(), m.Runtime.GiB(), m.Total().GiB())
	if len(n.Knobs) == 0 {
		fmt.Fprintln(w, "no single change mends it")
	} else {
		knobTable(w, "what would mend it", n.Knobs)
	}
	if len(n.Short) > 0 {
		fmt.Fprintln(w)
		knobTable(w, "what is not enough alone", n.Short)
	}
}

func knobTable(w io.Writer, title string, knobs []ask.Knob) {
	var rows [][]string
	starred := false
	for _, k := range knobs {
		mark := " "
		if nearCapacity(k.Memory, k.Usable) {
			mark, starred = "*", true
		}
		rows = append(rows, []string{k.Change, fmt.Sprintf("%.1f%s", k.Memory.GiB(), mark), fmt.Sprintf("%.1f", k.Usable.GiB()), fmt.Sprintf("%.1f", k.Step), k.Cost})
	}
	Table(w, "table", []Column{{title, true}, {"needs GiB", false}, {"of GiB", false}, {"step s", false}, {"what it costs", true}}, rows)
	if starred {
		fmt.Fprintf(w, "* uncertain: %s\n", nearness())
	}
}
