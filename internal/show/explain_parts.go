package show

import (
	"fmt"
	"io"
	"strings"

	"planner/costmodel"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/strategies"
)

// Component is one part of a rank's memory.
type Component struct {
	Name  string
	Bytes unit.Bytes
}

// Components returns the parts of a memory in the order of every table.
func Components(m *strategies.Memory) []Component {
	return []Component{
		{"weights", m.Weights}, {"gradients", m.Gradients}, {"master", m.Master}, {"moments", m.Moments},
		{"activations", m.Activations}, {"logits", m.Logits}, {"buffers", m.Buffers},
		{"fragmentation", m.Fragmentation}, {"runtime", m.Runtime},
	}
}

// maxStages is how many pipeline stages the table shows; the JSON has all.
const maxStages = 8

func memorySection(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	fmt.Fprintln(w, "\nMEMORY  GiB of one GPU · formulas in bytes, 1 GiB = 1.0737e9")
	stages := Stages(x, maxStages)
	cols := []Column{{"", true}}
	for _, s := range stages {
		cols = append(cols, Column{Title: fmt.Sprintf("stage %d", s)})
	}
	cols = append(cols, Column{fmt.Sprintf("how (stage %d, the fullest)", x.Fullest), true})
	var rows [][]string
	line := func(name, how string, get func(*strategies.Memory) float64, format string) {
		r := []string{name}
		for _, s := range stages {
			r = append(r, fmt.Sprintf(format, get(&x.Stages[s].Memory)))
		}
		rows = append(rows, append(r, how))
	}
	for i, c := range Components(&x.Memory) {
		line(c.Name, memoryHow(p, x, c.Name), func(m *strategies.Memory) float64 { return Components(m)[i].Bytes.GiB() }, "%.2f")
		if c.Name == "buffers" {
			line("allocated", "", func(m *strategies.Memory) float64 { return m.Allocated().GiB() }, "%.2f")
		}
	}
	line("total", fmt.Sprintf("of %.1f usable", p.Capacity().GiB()), func(m *strategies.Memory) float64 { return m.Total().GiB() }, "%.2f")
	line("capacity", "", func(m *strategies.Memory) float64 { return 100 * float64(m.Total()/p.Capacity()) }, "%.0f %%")
	Table(w, "table", cols, rows)
}

// Stages returns the stages to show where there is room for so many: all, or
// the first ones with the last, the fullest and the slowest.
func Stages(x *strategies.Explanation, most int) []int {
	n := len(x.Stages)
	var out []int
	for s := range n {
		if n <= most || s < most-3 || s == n-1 || s == x.Fullest || s == x.Slowest {
			out = append(out, s)
		}
	}
	return out
}

func groupSection(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	fmt.Fprintln(w, "\nWHERE GROUPS SIT  rank order tp-cp-ep-dp-pp, TP innermost")
	var rows [][]string
	for _, g := range x.Groups {
		rows = append(rows, []string{strings.Join(g.Dims.Names(), "+"), fmt.Sprint(g.Span.Size), fmt.Sprint(nodesOf(p.Cluster, &g.Span)),
			fmt.Sprint(g.Span.PerDomain), fmt.Sprint(g.Span.Stride), tierOf(p.Cluster, &g.Span), Count(p.Cluster.GPUs / g.Span.Size)})
	}
	Table(w, "table", []Column{{"group", true}, {"ranks", false}, {"nodes", false}, {"per domain", false}, {"stride", false}, {"slowest link", true}, {"groups", false}}, rows)
}

func diagnosisSection(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	found, largest, share := p.Diagnose(x)
	if len(found) == 0 {
		fmt.Fprintf(w, "\nDIAGNOSIS  no primitive takes more than %.0f %% of the step; largest: %s, %s %% exposed\n", 100*strategies.Threshold, largest, Percent(share))
		return
	}
	for _, d := range found {
		fmt.Fprintf(w, "\nDIAGNOSIS  exposed %s over %s takes %.0f %% of the step (limit %.0f %%)\n", d.Op, d.Axis, 100*d.Share, 100*strategies.Threshold)
		fmt.Fprintf(w, "  cause    %s\n  knob     %s\n", d.Cause, d.Knob)
		var rows [][]string
		for i := range d.Remedy {
			e := &d.Remedy[i]
			fits := "fits"
			if !e.Fits {
				fits = "does not fit"
			}
			rows = append(rows, []string{e.Layout.String(), fmt.Sprintf("%.2f", e.Step), Percent(p.Rates(e).MFU), fmt.Sprintf("%.1f", e.Memory.Total().GiB()), fits, e.Framework.Name})
		}
		if rows != nil {
			Table(w, "table", []Column{{"what would help, each re-estimated", true}, {"step s", false}, {"MFU %", false}, {"mem GiB", false}, {"", true}, {"framework", true}}, rows)
		}
	}
}

// unfilled closes the brackets on what few micro-batches leave idle: of equal
// passes alone, then of the step with all else in it.
func unfilled(x *strategies.Explanation) string {
	step := fmt.Sprintf("%.1f %% of the step", 100*float64(x.Bubble/x.Step))
	if x.Layout.Schedule == strategies.ZBH1 {
		return "bubble " + step + ")"
	}
	return fmt.Sprintf("bubble %.1f %%), here %s", 100*costmodel.BubbleFraction(x.Layout.PP, x.MicroBatches, x.Layout.VPP), step)
}

// ExplainWarnings are the warnings of one layout besides those of the question.
func ExplainWarnings(a *ask.Answer, x *strategies.Explanation) []string {
	out := Warnings(a)
	l := &x.Layout
	if x.MicroBatches < l.PP {
		out = append(out, fmt.Sprintf("%s cannot fill %d stages (%s: raise --global-batch", plural(x.MicroBatches, "micro-batch"), l.PP, unfilled(x)))
	}
	if Marginal(a.Problem, &x.Estimate) {
		out = append(out, fmt.Sprintf("marginal: memory is predicted at %.0f %% of what is usable; %s", 100*float64(x.Memory.Total()/a.Problem.Capacity()), nearness()))
	}
	if x.Retries > 0 {
		out = append(out, fmt.Sprintf("memory is so close to capacity that the allocator frees its cache and asks again: %.2f s of the step", x.Retries))
	}
	if wait := a.Problem.ExchangeWait(x.Framework.FitFor(a.Problem.Cluster.GPU.Arch)); wait > 0 && l.PP > 1 {
		out = append(out, fmt.Sprintf("published runs of %s on this many GPUs wait in each exchange between stages: %.2f s a neighbour and micro-batch is counted, which your cluster may not have",
			x.Framework.Name, wait))
	}
	if l.HPZ > 0 && l.Offload != strategies.OffloadNone {
		out = append(out, brokenHPZ)
	}
	return append(append(out, unrun(a, x)...), remarks(a, x)...)
}

// unrun says what of a layout is priced but not what the framework's trainer
// runs.
func unrun(a *ask.Answer, x *strategies.Explanation) (out []string) {
	l, f := &x.Layout, x.Framework
	if l.TP > 1 && !l.SP && a.Problem.Model.Experts() > 0 {
		stops := ""
		if f.Comm.RepeatsTokens && !a.Problem.Work.Forward {
			stops = ", and " + f.Name + " of today stops a training step there"
		}
		out = append(out, "tp without sp duplicates the tokens that are dispatched to experts"+stops+": set sp=true")
	}
	if own := f.Can.OwnExchange; own != "" && l.CP > 1 && l.CPKind.String() != own {
		out = append(out, fmt.Sprintf("%s's trainer exchanges keys and values by cpkind=%s, whatever is asked: set it", f.Name, own))
	}
	return out
}
