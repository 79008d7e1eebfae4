package catalog

import (
	"regexp"
	"strconv"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
)

// Network is what free text says of the network of one node.
type Network struct {
	Node unit.BytesPerSecond // of one node, one direction
	Kind hardware.LinkKind   // "" where the text does not say
	NICs int                 // 0 where the text does not say
}

var (
	// rate, such as "200 Gb/s", "400Gbps", "50 GB/s", "3.2 Tb/s" or "400G".
	networkRate = regexp.MustCompile(`(?i)([0-9]+(?:\.[0-9]+)?)\s*([GT])(b/s|bps|bit/s|b\b|\b)`)
	// count of ports, such as "8x" or "4 ×".
	networkCount = regexp.MustCompile(`(?i)(?:^|[^0-9.a-z])([0-9]{1,3})\s*[x×]`)
	networkGPU   = regexp.MustCompile(`(?i)\b(?:per|each|/)\s*(?:gpu|accelerator|rank)`)
	networkNode  = regexp.MustCompile(`(?i)\b(?:per|each)\s*(?:node|host|server|machine)`)
)

// networkKinds are the words that tell a fabric; the first found wins.
var networkKinds = []struct {
	word string
	kind hardware.LinkKind
}{
	{"slingshot", hardware.Slingshot}, {"efa", hardware.EFA}, {"tcpxo", hardware.TCPXO},
	{"tcpx", hardware.TCPX}, {"roce", hardware.RoCE}, {"spectrum-x", hardware.RoCE},
	{"infiniband", hardware.InfiniBand}, {"hdr", hardware.InfiniBand}, {"ndr", hardware.InfiniBand},
	{"edr", hardware.InfiniBand}, {"xdr", hardware.InfiniBand}, {"quantum", hardware.InfiniBand},
	{"ethernet", hardware.Ethernet}, {"gvnic", hardware.Ethernet},
}

// ParseNetwork reads how a table of runs words the network between nodes of
// perNode GPUs: "8x HDR InfiniBand 200 Gb/s per node" is eight ports of that
// rate, "800 Gb/s per node" the node's total, "400 Gb/s per GPU" a GPU's
// share. Parts that speak of NVLink are passed over. A rate whose share is not
// said, and text without a rate, is an *Error.
func ParseNetwork(text string, perNode int) (Network, error) {
	var n Network
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '+' || r == ',' }) {
		low := strings.ToLower(part)
		if n.Node > 0 || strings.Contains(low, "nvlink") || strings.Contains(low, "nvswitch") {
			continue
		}
		n.read(part, perNode)
	}
	n.Kind = networkKind(text)
	if n.Node <= 0 {
		return Network{}, Errorf("network %q: no rate of a node: want such as \"8x 200 Gb/s\", \"400 Gb/s per GPU\" or \"800 Gb/s per node\"", text)
	}
	return n, nil
}

// read takes the rate of one part of the text, if its share is said.
func (n *Network) read(part string, perNode int) {
	m := networkRate.FindStringSubmatch(part)
	if m == nil {
		return
	}
	rate := linkRate(m)
	if c := networkCount.FindStringSubmatch(part); c != nil {
		n.NICs, _ = strconv.Atoi(c[1])
		n.Node = rate.Times(float64(n.NICs))
		return
	}
	switch {
	case networkGPU.MatchString(part):
		n.Node = rate.Times(float64(perNode))
	case networkNode.MatchString(part):
		n.Node = rate
	}
}

// linkRate converts a match of networkRate. "GB" with a capital B is bytes;
// everything else is bits, as ports are sold.
func linkRate(m []string) unit.BytesPerSecond {
	v, _ := strconv.ParseFloat(m[1], 64)
	if strings.EqualFold(m[2], "T") {
		v *= 1000
	}
	if strings.HasPrefix(m[3], "B") {
		return unit.BytesPerSecond(v) * unit.GBps
	}
	return unit.BytesPerSecond(v/8) * unit.GBps
}

func networkKind(text string) hardware.LinkKind {
	low := strings.ToLower(text)
	for _, k := range networkKinds {
		if strings.Contains(low, k.word) {
			return k.kind
		}
	}
	return ""
}

// Options returns the overrides that the text stands for, for nodes of perNode
// GPUs. Ports are named only where the GPUs share them.
func (n Network) Options(perNode int) ClusterOptions {
	o := ClusterOptions{GPUsPerNode: perNode, InterNode: n.Node.Times(1 / float64(perNode)), Fabric: n.Kind}
	if n.NICs > 0 && n.NICs < perNode {
		o.NICs = n.NICs
	}
	return o
}
