package show

import (
	"fmt"
	"io"
	"strings"

	"planner/hardware"
	"planner/internal/ask"
	"planner/strategies"
)

// Header writes the two lines that say what was asked: model and workload,
// cluster and capacity.
func Header(w io.Writer, a *ask.Answer) {
	p := a.Problem
	total, _ := p.FLOPsPerToken()
	settings := strings.Join(append([]string{p.Work.Precision.String()}, WorkSettings(&a.Question)...), " · ")
	params := Params(p.Model.Parameters()) + " parameters"
	if active := p.Model.ActiveParameters(); active != p.Model.Parameters() {
		params += " (" + Params(active) + " active)"
	}
	fmt.Fprintf(w, "%s · %s · %.1f GFLOP/token     %s\n", title(p.Model.Title, p.Model.Name), params, float64(total)/1e9, machine(a))
	fmt.Fprintf(w, "sequence %s · global batch %s (%.2f M tokens) · %s  peak %.1f TFLOP/s per GPU · %.1f GiB usable per GPU\n",
		Count(p.Work.Seq), Count(p.Work.GlobalBatch), p.Work.Tokens()/1e6, settings,
		float64(p.Cluster.GPU.PeakOf(p.Work.Precision))/1e12, p.Capacity().GiB())
}

// Chosen writes what was chosen for the user, and with which flag to change it.
func Chosen(w io.Writer, a *ask.Answer) {
	var chosen []string
	for _, d := range a.Defaults {
		sep := " "
		if strings.HasPrefix(d.Flag, "--model") {
			sep = " = "
		}
		chosen = append(chosen, d.Flag+sep+d.Value)
	}
	if chosen != nil {
		Note(w, "chosen for you", "%s", strings.Join(chosen, " · "))
	}
}

func title(t, name string) string {
	if t != "" {
		return t
	}
	return name
}

// machine names the cluster: count, part, nodes and network.
func machine(a *ask.Answer) string {
	c := a.Problem.Cluster
	s := fmt.Sprintf("%s × %s", Count(c.GPUs), title(c.GPU.Title, c.GPU.Name))
	if n := c.Nodes(); n > 1 {
		s += fmt.Sprintf(" · %s nodes × %d", Count(n), c.PerNode) + domainText(c)
		if t := len(c.Tiers); t > 1 {
			s += fmt.Sprintf(" · %.4g Gb/s %s per GPU", c.Tiers[t-1].Bandwidth.Gbps(), linkTitle(c.Tiers[t-1].Kind)) + Scarce(&c.Tiers[t-1])
		}
	}
	return s
}

// domainText names the scale-up domain where it is more than a node.
func domainText(c *hardware.Cluster) string {
	name, n := strategies.DomainName(c), c.Tiers[c.ScaleUp].Ranks
	switch {
	case name == "node":
		return ""
	case n >= c.GPUs:
		return " in one " + name
	}
	return fmt.Sprintf(" in %ss of %d", name, n)
}

// linkTitle is how people write a fabric.
func linkTitle(k hardware.LinkKind) string {
	titles := map[hardware.LinkKind]string{hardware.InfiniBand: "IB", hardware.RoCE: "RoCE", hardware.EFA: "EFA", hardware.Ethernet: "Ethernet",
		hardware.TCPX: "TCPX", hardware.TCPXO: "TCPXO", hardware.Slingshot: "Slingshot", hardware.PCIe: "PCIe", hardware.XGMI: "xGMI", hardware.NVLink: "NVLink"}
	if t, ok := titles[k]; ok {
		return t
	}
	return string(k)
}

// noteIndent is where the text of a note begins.
const noteIndent = 17

// Note writes one line for people: a keyword, then text from column 17 on.
func Note(w io.Writer, keyword, format string, args ...any) {
	fmt.Fprintf(w, "%-16s %s\n", keyword, fmt.Sprintf(format, args...))
}
