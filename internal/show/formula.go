package show

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// CallFormula is the time of all calls of a row in symbols.
const CallFormula = "count × (bytes on the link / bandwidth reached + latency)"

// CallNumbers is CallFormula with the figures of a call. The link, not the wire:
// a receive sends nothing and takes time all the same.
func CallNumbers(c *collective.Call) string {
	rate := "—"
	if carry := float64(c.Seconds - c.Latency); carry > 0 {
		rate = unit.Bytes(float64(c.LinkBytes)/carry).Decimal() + "/s"
	}
	return fmt.Sprintf("%.6g × (%s / %s + %s)", c.Count, c.LinkBytes.Decimal(), rate, c.Latency)
}

// WireFormula says how the bytes that the busiest rank sends follow from M.
func WireFormula(c *collective.Call) string {
	n, m := c.Span.Size, c.Bytes.Decimal()
	switch c.Op {
	case collective.AllReduce:
		return fmt.Sprintf("2(n−1)/n × M = 2·%d/%d × %s", n-1, n, m)
	case collective.ReduceScatter, collective.AllGather, collective.AllToAll, collective.Gather, collective.Scatter:
		return fmt.Sprintf("(n−1)/n × M = %d/%d × %s", n-1, n, m)
	case collective.Recv:
		return "0 (a receive sends nothing)"
	}
	return "M = " + m
}
