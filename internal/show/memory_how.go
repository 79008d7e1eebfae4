package show

import (
	"fmt"
	"strings"

	"planner/strategies"
)

// memoryHow says where a component comes from: the figure of the fullest stage
// as a formula where it is a product, in words where it is fitted or a largest
// of several.
func memoryHow(p *strategies.Problem, x *strategies.Explanation, name string) string {
	switch name {
	case "weights", "gradients", "master", "moments":
		return stateHow(p, x, name)
	case "activations":
		return activationsHow(x)
	case "logits":
		return "of one micro-batch on the last stage, unless the gradients of a layer are more when its backward pass begins"
	case "buffers":
		if x.Framework.Memory.WeightGrads > 0 {
			return "workspaces, placeholders of weight gradients, communication buckets"
		}
		return "gathered layers, communication buckets"
	case "fragmentation":
		return fmt.Sprintf("%.4g × (activations + logits), fitted", x.Framework.FitFor(p.Cluster.GPU.Arch).Fragment)
	case "runtime":
		return runtimeHow(p, x)
	}
	return ""
}

func runtimeHow(p *strategies.Problem, x *strategies.Explanation) string {
	how := "CUDA context and communicators, fitted"
	if b := p.UserbufferBytes(x.Framework, &x.Layout); b > 0 {
		how += fmt.Sprintf(" + %.4g GiB of userbuffers, through which TP calls run beside products", b.GiB())
	}
	return how
}

// stateHow writes the products that a component of the state adds up from:
// experts are split over ranks of their own.
func stateHow(p *strategies.Problem, x *strategies.Explanation, name string) string {
	var terms []string
	for i := range x.State {
		t := &x.State[i]
		if t.Component != name {
			continue
		}
		term := elements(t.Parameters)
		if t.Of != "" {
			term += " of " + t.Of
		}
		term += fmt.Sprintf(" × %.4g B", t.Each)
		if t.Ranks > 1 {
			term += fmt.Sprintf(" / %d ranks", t.Ranks)
		}
		terms = append(terms, term)
	}
	switch {
	case terms != nil:
		return strings.Join(terms, " + ")
	case x.Layout.Offload != strategies.OffloadNone:
		return "in host memory"
	case p.Work.Forward:
		return "none in a forward pass"
	case name == "weights":
		return "the master copy is the parameter; 16-bit copies are buffers"
	}
	return ""
}

// elements writes a number of parameters to four figures, as a factor.
func elements(n float64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.4ge9", n/1e9)
	}
	return fmt.Sprintf("%.4ge6", n/1e6)
}

// activationsHow writes what is kept of the micro-batches in flight, and what
// the backward pass begins with. With virtual stages the micro-batches in
// flight are chunks of a VPP-th each.
func activationsHow(x *strategies.Explanation) string {
	kept := x.Kept.Times(x.InFlight)
	begins := fmt.Sprintf("%.4g GiB as the backward pass begins", (x.Memory.Activations - kept).GiB())
	if x.Kept == 0 {
		return fmt.Sprintf("%.4g GiB of one layer at a time", x.Memory.Activations.GiB())
	}
	return fmt.Sprintf("%.4g %s in flight × %.4g GiB of %s (recompute=%s) + %s", x.InFlight, thing(x.InFlight == 1, "micro-batch"), x.Kept.GiB(),
		plural(x.Layers[x.Fullest], "layer"), x.Layout.Recompute, begins)
}

// plural writes n things.
func plural(n int, what string) string { return Count(n) + " " + thing(n == 1, what) }

// thing writes one thing, or its plural.
func thing(one bool, what string) string {
	switch {
	case one:
		return what
	case strings.HasSuffix(what, "ch"):
		return what + "es"
	}
	return what + "s"
}
