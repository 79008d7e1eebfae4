package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"planner/hardware/unit"
	"planner/strategies"
)

// overhead writes what the host costs: per layer, per micro-batch, per step,
// and by ranks that are late.
func overhead(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	o := &x.Host
	if p.Work.LayersOnly || float64(x.Overhead) < 0.002*float64(x.Step) {
		return
	}
	fmt.Fprintf(w, "  overhead   = Σ host time that kernels do not cover, per layer, micro-batch and step, + stragglers\n")
	fmt.Fprintf(w, "             = %s = %.3f s\n", overheadFormula(x), x.Overhead)
	fmt.Fprintf(w, "             %s\n", overheadSentence(p, x, o))
	if hostBound(x) {
		fmt.Fprintf(w, "             It is the largest part of this step. bound names what a layout or a machine can change, and says %s of the rest.\n", x.Bound())
	}
}

// hostBound reports whether no part of the step is longer than what the host costs.
func hostBound(x *strategies.Explanation) bool {
	parts := StepParts(&x.Estimate)
	return slices.MaxFunc(parts, func(a, b StepPart) int { return cmp.Compare(a.Seconds, b.Seconds) }).Component == "overhead"
}

// unseen is the time that no sum of milliseconds shows.
const unseen = 1e-4

// overheadFormula writes the parts that show as products.
func overheadFormula(x *strategies.Explanation) string {
	o, m := &x.Host, x.MicroBatches
	layers := x.Layers[x.Slowest]
	var terms []string
	times := func(t unit.Seconds, n int, of string) {
		if t > unseen {
			terms = append(terms, fmt.Sprintf("%s × %.4g ms", of, 1e3*float64(t)/float64(n)))
		}
	}
	times(o.Layers, m*layers, plural(m, "micro-batch")+" × "+plural(layers, "layer"))
	times(o.Batches, m, plural(m, "micro-batch"))
	times(o.Exchanges, m, plural(m, "exchange"))
	times(o.Retries, m, plural(m, "allocator wait"))
	times(o.Copies, m, plural(m, "micro-batch")+" of copies")
	if o.Step > unseen {
		terms = append(terms, fmt.Sprintf("1 step × %.4g ms", 1e3*float64(o.Step)))
	}
	if o.Stragglers > unseen {
		terms = append(terms, fmt.Sprintf("%.4g × %.3f s of stragglers", o.Share, x.Step-o.Stragglers))
	}
	return strings.Join(terms, " + ")
}

// overheadSentence says what the largest part is and where its constants are
// from.
func overheadSentence(p *strategies.Problem, x *strategies.Explanation, o *strategies.Overhead) string {
	most, text := unit.Seconds(-1), ""
	for _, part := range []struct {
		t    unit.Seconds
		text string
	}{
		{o.Layers, "launches of layers whose kernels and calls are as short as the launches themselves (host)"},
		{o.Batches, "host time of every micro-batch and stage (host_batch)"},
		{o.Exchanges, "waits of a stage in each exchange with its neighbours, whatever the message (slot)"},
		{o.Retries, "an allocator that frees its cache and asks again, close to capacity (retry)"},
		{o.Copies, "copies of offloaded state over the host link that the passes do not cover"},
		{o.Step, "data, logging and the launch of the optimizer (host_step)"},
		{o.Stragglers, fmt.Sprintf("stragglers: the step is longer by %.2g %% for each doubling of the GPUs beyond 8 (straggler)",
			100*x.Framework.FitFor(p.Cluster.GPU.Arch).Straggler)},
	} {
		if part.t > most {
			most, text = part.t, part.text
		}
	}
	if most == o.Copies {
		return fmt.Sprintf("Most: %s, %.0f GB/s for each GPU.", text, float64(p.Cluster.GPU.PCIe/unit.GBps))
	}
	return fmt.Sprintf("Most: %s. The constants are those of %s in presets/profiles/fit.toml, which says what each was fitted on.", text, x.Framework.Name)
}
