package verdict

import "fmt"

// Bounds of what a measurement holds: beyond them sums and ratios overflow.
const (
	leastSeconds, mostSeconds = 1e-12, 1e9
	leastRate, mostRate       = 1e-3, 1e18 // of a second, and of a call
)

// check says what a report that planner wrote cannot hold.
func (r *Report) check() string {
	if len(r.Layouts) == 0 {
		return "no layouts: want at least one"
	}
	if r.Ranks < 1 || r.Nodes < 1 {
		return "ranks or nodes below 1"
	}
	for i := range r.Layouts {
		if fault := r.Layouts[i].check(); fault != "" {
			return "layout " + r.Layouts[i].Layout + ": " + fault
		}
	}
	for _, c := range r.Calls {
		if fault := first(times(c.Predicted, c.Measured), atMost(c.Latency, c.Weight), within("bytes", 0, mostRate, c.Bytes)); fault != "" {
			return "call " + c.Op + ": " + fault
		}
	}
	for _, l := range r.Links {
		p := &l.Probed
		if fault := first(times(l.Latency, p.Latency), within("a rate", leastRate, mostRate, l.Bandwidth, p.Alone, p.Shared), within("profile_sharing", 1e-3, 1e6, l.Sharing)); fault != "" {
			return "link " + l.Tier + ": " + fault
		}
	}
	return ""
}

func (l *Layout) check() string {
	fault := first(times(l.Predicted, l.Measured), atMost(l.StdErr, l.Compute), atMost(l.Times...))
	for _, a := range l.Axes {
		if a.Axis == "" {
			fault = first(fault, "an entry of axes without a name")
		}
		fault = first(fault, times(a.Predicted), atMost(a.Measured))
	}
	for _, t := range l.Unmeasured {
		fault = first(fault, atMost(t))
	}
	if s := l.Shares; s != nil {
		fault = first(fault, within("a share", -1e-6, 1+1e-6, s.Measured, s.Scaled, s.Assumed))
	}
	return fault
}

// times wants seconds above 0.
func times(v ...float64) string { return within("a time", leastSeconds, mostSeconds, v...) }

// atMost wants seconds that may be 0.
func atMost(v ...float64) string { return within("a time", 0, mostSeconds, v...) }

// within says which value is out of bounds, "" for none.
func within(what string, least, most float64, values ...float64) string {
	for _, v := range values {
		if !(v >= least && v <= most) {
			return fmt.Sprintf("%s of %g: out of range: want %g to %g", what, v, least, most)
		}
	}
	return ""
}

// first returns the first fault.
func first(faults ...string) string {
	for _, f := range faults {
		if f != "" {
			return f
		}
	}
	return ""
}
