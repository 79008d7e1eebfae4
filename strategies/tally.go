package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// tally prices calls as they are issued and sums them; it keeps them only when
// asked to, so that a search does not allocate.
type tally struct {
	fabric   *collective.Fabric
	keep     bool
	stage    int
	times    float64 // how often the issuing block occurs in a step
	late     lateness
	received unit.Seconds   // waited for each message of a neighbouring stage
	wait     costmodel.Pass // of the host in TP calls, of one occurrence
	calls    []collective.Call
	fwd      [collective.NumAxes]unit.Seconds // exposed, of one occurrence
	bwd      [collective.NumAxes]unit.Seconds
	busy     linkTimes
}

// lateness is how much later each further rank of a TP group joins a call: its
// kernel, or the host that launches it.
type lateness struct{ kernel, host unit.Seconds }

// await books the host's wait in a call and returns the kernel's.
func (t *tally) await(c *collective.Call) unit.Seconds {
	n := c.Count * float64(c.Span.Size-1)
	host := &t.wait.Bwd
	if c.Phase == collective.Forward {
		host = &t.wait.Fwd
	}
	*host += t.late.host.Times(n)
	return t.late.kernel.Times(n)
}

// linkTimes is how long a rank waits for the bytes of a block's calls, by link:
// what another axis on the same link lengthens.
type linkTimes [numLinks]costmodel.Pass

// The links that axes share: those inside a node or rack, and the NICs.
const (
	scaleUp = iota
	network
	numLinks
)

// linkOf returns the link that decides the time of a group's calls.
func linkOf(s *hardware.Span) int {
	if s.Domains > 1 {
		return network
	}
	return scaleUp
}

func (b *linkTimes) plus(c *linkTimes, n float64) {
	for i := range b {
		b[i].Fwd += c[i].Fwd.Times(n)
		b[i].Bwd += c[i].Bwd.Times(n)
	}
}

// issue prices count calls of an op and books the share of their time that
// stays exposed.
func (t *tally) issue(c collective.Call, share float64) {
	if c.Span.Size < 2 || c.Bytes <= 0 || c.Count <= 0 || share == 0 && !t.keep {
		return
	}
	c.Price = t.fabric.Time(c.Op, c.Bytes, c.Span)
	c.Exposed = c.Seconds.Times(c.Count * share)
	if c.Op == collective.Recv && share > 0 {
		c.Exposed += t.received.Times(c.Count)
	}
	if c.Axis == collective.AxisTP {
		c.Exposed += t.await(&c)
	}
	busy := &t.busy[linkOf(&c.Span)]
	stream := (c.Seconds - c.Latency).Times(c.Count * min(1, share))
	if c.Phase == collective.Forward {
		t.fwd[c.Axis] += c.Exposed
		busy.Fwd += stream
	} else {
		t.bwd[c.Axis] += c.Exposed
		busy.Bwd += stream
	}
	if t.keep {
		c.Stage = t.stage
		c.Count *= t.times
		c.Exposed = c.Exposed.Times(t.times)
		t.calls = append(t.calls, c)
	}
}

// sum returns what every axis exposes in each direction.
func (t *tally) sum() costmodel.Pass {
	var p costmodel.Pass
	for a := range t.fwd {
		p.Fwd += t.fwd[a]
		p.Bwd += t.bwd[a]
	}
	return p
}

// label joins a purpose and its variant where calls are kept; a search, which
// shows none, does not pay for the string.
func (t *tally) label(what, variant string) string {
	if !t.keep {
		return what
	}
	return what + variant
}

// bytesOf returns the bytes of n elements.
func bytesOf(n float64, d collective.DType) unit.Bytes { return unit.Bytes(n * d.Size()) }
