package verdict

import (
	"fmt"
	"math"
)

// fault is a term of the profile that its own measurement contradicts.
type fault struct {
	link  *Link
	term  string
	ratio float64 // by how much calls take longer than the term says; below 1: shorter
}

// fault returns the term that is furthest off, relative to what it may be.
func (r *Report) fault() *fault {
	if r.Machine != nil { // the profile is a measurement, and memory differs by more from one to the next
		return nil
	}
	var worst *fault
	at := 0.0
	for i := range r.Links {
		l := &r.Links[i]
		for _, f := range l.faults(max(1, r.Slow)) {
			if off := math.Abs(math.Log(f.ratio)) / math.Log(f.allowed()); off > 1 && off > at && r.supports(&f) {
				worst, at = &f, off
			}
		}
	}
	return worst
}

// allowed is the factor by which a term may be off.
func (f *fault) allowed() float64 {
	if f.term == termLatency {
		return latencyOff
	}
	return bandwidthOff
}

// shown is how far the calls that depend on a wrong term must be from their
// prediction to support it.
const shown = 1.15

// supports reports whether the calls of the layouts agree that a term is
// wrong, and which way. Where none depends on it, its own messages decide.
func (r *Report) supports(f *fault) bool {
	var x []weighted
	for i := range r.Calls {
		c := &r.Calls[i]
		if (c.Tier > 0) == f.link.Between && c.share(f.term) > 0.6 {
			x = append(x, weighted{c.Ratio(), c.Weight})
		}
	}
	if len(x) == 0 {
		return true
	}
	if f.ratio > 1 {
		return median(x) > shown
	}
	return median(x) < 1/shown
}

// share returns the part of a call's prediction that a term makes.
func (c *Call) share(term string) float64 {
	if term == termLatency {
		return c.Latency / c.Predicted
	}
	return 1 - c.Latency/c.Predicted
}

// faults compares the terms of a link with their measurements. Where a rank
// alone gets what the profile says and ranks together do not, the ports are
// shared by more ranks than it says.
func (l *Link) faults(slow float64) []fault {
	out := []fault{{l, termLatency, ratioOf(l.Probed.Latency, l.Latency, slow)}}
	alone := l.Bandwidth * l.Sharing / l.Probed.Alone
	shared := l.Bandwidth / l.Probed.Shared
	if l.Between && math.Abs(math.Log(alone)) < math.Log(bandwidthOff) {
		return append(out, fault{l, termNICs, shared})
	}
	return append(out, fault{l, termBandwidth, shared})
}

// leastLatency is below what wake-ups of a machine change from run to run, in
// seconds: latencies are compared above it.
const leastLatency = 200e-6

func ratioOf(measured, profile, slow float64) float64 {
	return max(measured, leastLatency/slow) / max(profile, leastLatency/slow)
}

// blame words a fault with the call that it touches most.
func (r *Report) blame(f *fault) string {
	where, key := "inside the node", "of its innermost tier"
	if f.link.Between {
		where, key = "across nodes", "between nodes"
	}
	what := map[string]string{
		termBandwidth: fmt.Sprintf("check the bandwidth %s in the profile: it says %s per rank, messages of their own reach %s", key, rate(f.link.Bandwidth), rate(f.link.Probed.Shared)),
		termLatency:   fmt.Sprintf("check the latency %s in the profile: it says %s, a message of its own takes %s", key, span(f.link.Latency), span(f.link.Probed.Latency)),
		termNICs:      fmt.Sprintf("check the NICs of a node in the profile: a rank alone reaches %s, ranks together %s each: they share ports", rate(f.link.Probed.Alone), rate(f.link.Probed.Shared)),
	}[f.term]
	c := r.touched(f)
	if c == nil {
		return "no call of these layouts shows it, but " + what
	}
	return fmt.Sprintf("%s over %s %s takes %.2g× its prediction: %s", c.Op, c.Axis, where, c.Ratio(), what)
}

// touched returns the call of the fault's tier that is furthest off, weighted
// by its share of the steps.
func (r *Report) touched(f *fault) *Call {
	var worst *Call
	at := 0.0
	for i := range r.Calls {
		c := &r.Calls[i]
		if (c.Tier > 0) != f.link.Between || (c.Ratio() > 1) != (f.ratio > 1) {
			continue
		}
		if off := c.off() * c.share(f.term); off > at {
			worst, at = c, off
		}
	}
	return worst
}
