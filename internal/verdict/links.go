package verdict

import (
	"fmt"
	"io"
	"math"

	"planner/internal/show"
)

func (l *Link) where() string {
	if l.Between {
		return "between nodes"
	}
	return "inside a node"
}

func (r *Report) linkTable(w io.Writer) {
	var rows [][]string
	for _, l := range r.Links {
		rows = append(rows, []string{l.where(), span(l.Latency), span(l.Probed.Latency), rate(l.Bandwidth * l.Sharing), rate(l.Probed.Alone), rate(l.Bandwidth), rate(l.Probed.Shared)})
	}
	show.Table(w, "table", []show.Column{{Title: "links", Left: true}, {Title: "latency: profile"}, {Title: "measured"}, {Title: "one rank: profile"},
		{Title: "measured"}, {Title: "all ranks, each: profile"}, {Title: "measured"}}, rows)
	for _, n := range r.linkNotes() {
		fmt.Fprintf(w, "  %s\n", n)
	}
}

// linkNotes names the terms that their own messages contradict by more than
// docs/VERIFY.md calls wrong, and says why the verdict does not.
func (r *Report) linkNotes() []string {
	var notes []string
	blamed := r.fault()
	for i := range r.Links {
		l := &r.Links[i]
		for _, f := range l.faults(math.Inf(1)) { // at any time, however short
			if math.Abs(math.Log(f.ratio)) <= math.Log(f.allowed()) || blamed != nil && blamed.link == l && blamed.term == f.term {
				continue
			}
			notes = append(notes, fmt.Sprintf("%s %s: measured %.2g × the profile's, and not called wrong: %s", f.word(), l.where(), f.measured(), r.excuse(&f)))
		}
	}
	return notes
}

// excuse says why a term that is off is not called wrong.
func (r *Report) excuse(f *fault) string {
	slow := max(1, r.Slow)
	switch {
	case r.Machine != nil:
		return "the profile is a measurement as well"
	case f.term == termLatency && math.Abs(math.Log(ratioOf(f.link.Probed.Latency, f.link.Latency, slow))) <= math.Log(latencyOff):
		return fmt.Sprintf("below %s wake-ups of the machine decide", span(leastLatency/slow))
	case !r.supports(f):
		return "the calls that depend on it take what they were predicted to"
	}
	return "another term is further off"
}

func (f *fault) word() string {
	if f.term == termNICs {
		return "bandwidth of all ranks"
	}
	return f.term
}

// measured is the term as it was measured over the profile's: of rates, the
// inverse of the times.
func (f *fault) measured() float64 {
	if f.term == termLatency {
		return f.ratio
	}
	return 1 / f.ratio
}
