package hardware

// NodesOf returns the hosts that a group touches: a rack-wide NVLink domain
// holds several.
func (c *Cluster) NodesOf(s Span) int {
	n, _, _ := place(s.Stride, s.Size, c.PerNode, c.GPUs)
	return n
}
