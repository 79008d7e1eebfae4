package diagnose

import (
	"fmt"
	"io"
	"strings"

	"planner/costmodel/collective"
	"planner/internal/show"
	"planner/strategies"
)

// Show writes a diagnosis for people.
func Show(w io.Writer, d *Diagnosis) {
	x, p := d.Explain, d.Answer.Problem
	show.Header(w, d.Answer)
	source := ""
	if d.Kind != layoutKind {
		source = d.Kind + ": "
	}
	fmt.Fprintf(w, "%slayout %s · %s · %d micro-batches of %d\n", source, x.Layout, x.Framework.Name, x.MicroBatches, x.Layout.MBS)
	for _, n := range d.Notes {
		fmt.Fprintf(w, "  %s\n", n)
	}
	fits := ""
	if !x.Fits {
		fits = fmt.Sprintf(" · does not fit: %.1f GiB short", (x.Memory.Total() - p.Capacity()).GiB())
	}
	band := ""
	if x.High > x.Low {
		band = fmt.Sprintf(" (80 %%: %.2f … %.2f)", x.Low, x.High)
	}
	fmt.Fprintf(w, "\nEXPECTED  %.3f s%s · MFU %s %% · %.1f of %.1f GiB · bound: %s%s\n", x.Step, band, show.Percent(p.Rates(&x.Estimate).MFU),
		x.Memory.Total().GiB(), p.Capacity().GiB(), x.Bound(), fits)
	gapSection(w, d)
	shareSection(w, d)
	findingSection(w, d)
	betterSection(w, d)
}

func gapSection(w io.Writer, d *Diagnosis) {
	g := d.Gap
	if g == nil {
		return
	}
	where := "outside the band"
	switch {
	case d.Explain.High <= d.Explain.Low:
		where = "no band known"
	case g.Inside:
		where = "inside the band: it may be nothing"
	}
	fmt.Fprintf(w, "\nMEASURED  %.3f s, %+.1f %% against the prediction · %s\n", g.Measured, 100*g.Relative, where)
	if len(g.Could) == 0 {
		return
	}
	fmt.Fprintln(w, "  what could explain it                                          step s   of the gap")
	for _, h := range g.Could {
		fmt.Fprintf(w, "  %-62s %7.3f %8.0f %%\n", h.What, h.Step, 100*h.Explains)
		wrap(w, "      check: ", h.Check)
	}
}

// columns is the width of a screen.
const columns = 118

// wrap writes text behind a head, further lines below the text's beginning.
func wrap(w io.Writer, head, text string) {
	indent := strings.Repeat(" ", min(len([]rune(head)), 12))
	line := head
	for i, word := range strings.Fields(text) {
		if i > 0 && len([]rune(line))+1+len([]rune(word)) > columns {
			fmt.Fprintln(w, line)
			line = indent + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

func shareSection(w io.Writer, d *Diagnosis) {
	for i := range d.Shares {
		a := &d.Shares[i]
		fmt.Fprintf(w, "\nSHARE     %s %.0f %% measured · predicted %.1f %% exposed, %.1f %% alone\n", a.Op, 100*a.Value, 100*a.Exposed, 100*a.Alone)
		switch {
		case !a.Over:
			fmt.Fprintf(w, "  under the %.0f %% at which a primitive is worth a change\n", 100*strategies.Threshold)
		case a.Foreign:
			wrap(w, "  likely    ", foreign(d.Subject, a))
			generalLines(w, a)
		case a.Diagnosis != nil:
			diagnosisLines(w, d.Subject, a.Diagnosis)
			generalLines(w, a)
		}
	}
}

// generalLines writes what the rule says of an op whatever the layout.
func generalLines(w io.Writer, a *Answer) {
	if g, ok := general[a.Op]; ok {
		wrap(w, "  in general ", g[0]+": "+g[1])
	}
}

// foreign says what a share means that this layout's own traffic cannot make.
func foreign(s *Subject, a *Answer) string {
	l := &s.Explain.Layout
	text := fmt.Sprintf("this layout's %s calls are too few for it: the run is not this layout, or its ranks wait inside the call for late ones (stragglers, data loading, imbalance)", a.Op)
	switch {
	case a.Op == collective.AllReduce && l.TP > 1 && l.SP:
		text += "; without sequence parallelism every layer makes AllReduce calls"
	case a.Op == collective.AllReduce && l.Zero > 0:
		text += "; without the distributed optimizer gradients are reduced by AllReduce"
	case a.Op == collective.AllGather && l.Zero < 3:
		text += "; ZeRO-3 or FSDP gathers every layer"
	}
	return text
}

func diagnosisLines(w io.Writer, s *Subject, x *strategies.Diagnosis) {
	wrap(w, "  likely    ", x.Cause)
	wrap(w, "  knob      ", x.Knob)
	for i := range x.Remedy {
		wrap(w, "  try       ", fmt.Sprintf("%s: %s", x.Remedy[i].Layout, s.effect(&x.Remedy[i])))
	}
	if x.Remedy == nil {
		fmt.Fprintln(w, "  try       no neighbouring layout that fits is predicted faster: look at the links (planner bench) first")
	}
}

func findingSection(w io.Writer, d *Diagnosis) {
	for i := range d.Rule {
		r := &d.Rule[i]
		fmt.Fprintf(w, "\nRULE      %s takes %.0f %% of the predicted step, over %.0f %%\n", r.Op, 100*r.Share, 100*strategies.Threshold)
		diagnosisLines(w, d.Subject, r)
	}
	fmt.Fprintln(w, "\nSETTINGS")
	if len(d.Findings) == 0 {
		fmt.Fprintln(w, "  nothing mis-set was found")
	}
	for _, f := range d.Findings {
		wrap(w, "  "+f.Setting+": ", f.Says)
	}
}

func betterSection(w io.Writer, d *Diagnosis) {
	fmt.Fprintln(w, "\nBETTER")
	for _, k := range d.Near {
		fmt.Fprintf(w, "  %s %s → %s: %s\n", k.Name, k.From, k.To, d.effect(k.Estimate))
	}
	switch b := d.Best; {
	case b == nil:
		fmt.Fprintf(w, "  no layout fits under %s\n", d.Explain.Framework.Name)
	case d.Explain.Fits && b.Step >= d.Explain.Step.Times(1-strategies.Resolution):
		fmt.Fprintln(w, "  no layout of this framework is faster by more than the model can tell apart")
	default:
		fmt.Fprintf(w, "  best: %s: %s\n", b.Layout, d.effect(b))
	}
}
