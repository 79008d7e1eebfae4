package show

import (
	"fmt"
	"strings"

	"planner/hardware"
)

// portsText says what the cluster states of the ports of a node and of the
// switches beyond them: "2 × 200 Gb/s a node, oversubscribed 2:1"; "" where it
// states neither.
func portsText(ports int, gbps, oversubscription float64) string {
	var parts []string
	if ports > 0 && gbps > 0 {
		parts = append(parts, fmt.Sprintf("%d × %.4g Gb/s a node", ports, gbps))
	} else if ports > 0 {
		parts = append(parts, plural(ports, "port")+" a node")
	}
	if oversubscription > 1 {
		parts = append(parts, fmt.Sprintf("oversubscribed %.4g:1", oversubscription))
	}
	return strings.Join(parts, ", ")
}

// Ports is what a tier's description states of ports and switches; "" for none.
func Ports(t *hardware.Tier) string {
	return portsText(t.Ports, t.PortRate.Gbps(), t.Oversubscription)
}

// Scarce is Ports of a tier whose share of a GPU alone does not tell them: GPUs
// share ports, or the switches have less capacity than the ports.
func Scarce(t *hardware.Tier) string {
	if t.NICs == 0 && t.Oversubscription <= 1 {
		return ""
	}
	return " (" + Ports(t) + ")"
}
