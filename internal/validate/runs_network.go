package validate

import (
	"regexp"
	"strconv"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

// rates finds "200 Gb/s", "25 GB/s", with how many of them before and what
// they are of behind: "8x HDR InfiniBand 200 Gb/s per node".
var rates = regexp.MustCompile(`(?i)(?:(\d+)\s*[x×]\s*)?[^0-9]*?(\d+(?:\.\d+)?)\s*(G[bB])(?:it|yte)?(?:/s|ps)\b\s*(?:per\s+(node|gpu|nic|port))?`)

var fabricWords = []struct {
	word string
	kind hardware.LinkKind
}{
	{"infiniband", hardware.InfiniBand}, {"hdr", hardware.InfiniBand}, {"ndr", hardware.InfiniBand}, {"roce", hardware.RoCE},
	{"efa", hardware.EFA}, {"tcpxo", hardware.TCPXO}, {"tcpx", hardware.TCPX}, {"slingshot", hardware.Slingshot}, {"ethernet", hardware.Ethernet},
}

// interNode reads the free text of the inter_node column. A rate "per node"
// is that of one port where a count of ports comes before it, else of all
// together. unread says that the text has no rate.
func interNode(r *Run) (o catalog.ClusterOptions, unread bool) {
	text := strings.ToLower(r.InterNode)
	for _, f := range fabricWords {
		if strings.Contains(text, f.word) {
			o.Fabric = f.kind
			break
		}
	}
	m := rates.FindStringSubmatch(r.InterNode)
	if m == nil {
		return o, r.InterNode != ""
	}
	rate, _ := strconv.ParseFloat(m[2], 64)
	if strings.HasSuffix(m[3], "b") {
		rate /= 8
	}
	ports := 1.0
	if m[1] != "" {
		ports, _ = strconv.ParseFloat(m[1], 64)
	}
	perNode := max(1, r.PerNode)
	if r.PerNode == 0 {
		perNode = 8
	}
	if m[1] != "" || strings.EqualFold(m[4], "node") {
		rate *= ports / float64(perNode)
	}
	o.InterNode = unit.BytesPerSecond(rate) * unit.GBps
	return o, false
}

// catalogLinks returns the fitted constants of collectives.
func catalogLinks() collective.Constants {
	c, err := catalog.Collectives()
	if err != nil {
		panic(err) // the bundled file is tested
	}
	return *c
}
