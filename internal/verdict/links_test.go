package verdict

import (
	"strings"
	"testing"
)

// TestLinkNotes: a term that is off by more than may be called wrong has a
// footnote, unless the verdict names it.
func TestLinkNotes(t *testing.T) {
	for _, tt := range []struct {
		name, says string // "": no footnote
		change     func(r *Report)
	}{
		{"right", "", func(*Report) {}},
		{"a latency within 3×", "", func(r *Report) { r.Links[1].Probed.Latency = 2.9e-3 }},
		{"a short latency", "latency inside a node: measured 0.08 × the profile's, and not called wrong: below 200 µs wake-ups", func(r *Report) {
			r.Links[0].Latency, r.Links[0].Probed.Latency = 50e-6, 4e-6
		}},
		{"in slow motion", "below 2 µs wake-ups", func(r *Report) {
			r.Slow = 100
			r.Links[0].Latency, r.Links[0].Probed.Latency = 0.4e-6, 1.9e-6
		}},
		{"calls that do not show it", "latency between nodes: measured 10 × the profile's, and not called wrong: the calls", func(r *Report) {
			r.Links[1].Probed.Latency = 10e-3
		}},
		{"a bandwidth", "bandwidth inside a node: measured 0.5 × the profile's", func(r *Report) {
			r.Links[0].Probed.Alone, r.Links[0].Probed.Shared = 200e6, 200e6
		}},
		{"ports", "bandwidth of all ranks between nodes: measured 0.5 × the profile's", func(r *Report) { r.Links[1].Probed.Shared /= 2 }},
		{"this machine", "the profile is a measurement as well", func(r *Report) {
			r.Machine = &Machine{}
			r.Links[0].Probed.Shared *= 2
		}},
		{"the verdict names it", "", func(r *Report) {
			r.Links[1].Bandwidth *= 3
			r.Calls[0].Measured *= 3
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reportOf(8)
			tt.change(r)
			r.Judge()
			var b strings.Builder
			r.linkTable(&b)
			if got := b.String(); strings.Contains(got, "not called wrong") != (tt.says != "") || !strings.Contains(got, tt.says) {
				t.Errorf("got\n%s\nwant %q", got, tt.says)
			}
		})
	}
}
