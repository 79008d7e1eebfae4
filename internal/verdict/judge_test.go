package verdict

import (
	"math"
	"strings"
	"testing"
)

// reportOf is a report of layouts that take 1, 2, 3 … s, predicted right, over
// links that are as the profile says.
func reportOf(n int) *Report {
	r := &Report{SchemaVersion: 1, Emulate: "2x2", Ranks: 4, Nodes: 2, Seed: 1}
	for i := range n {
		t := float64(i + 1)
		r.Layouts = append(r.Layouts, Layout{Layout: "dp=4", Predicted: t, Measured: t, StdErr: 0.01, Compute: 0.5 + 0.1*t})
	}
	r.Links = []Link{
		{Tier: "host", Latency: 1e-3, Bandwidth: 400e6, Sharing: 1, Probed: Probed{1e-3, 400e6, 400e6}},
		{Tier: "ethernet", Between: true, Latency: 1e-3, Bandwidth: 40e6, Sharing: 1, Probed: Probed{1e-3, 40e6, 40e6}},
	}
	r.Calls = []Call{
		{Op: "all_gather", Axis: "dp", Tier: 1, Predicted: 0.1, Latency: 0.001, Measured: 0.1, Weight: 1},
		{Op: "all_reduce", Axis: "tp", Tier: 0, Predicted: 0.01, Latency: 0.001, Measured: 0.01, Weight: 1},
		{Op: "all_reduce", Axis: "other", Tier: 1, Predicted: 0.006, Latency: 0.006, Measured: 0.006, Weight: 0.01},
	}
	return r
}

func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, status, term, says string
		change                   func(r *Report)
	}{
		{"right", Holds, "", "tau-b 1.00, regret 0.0 %", func(*Report) {}},
		{"bandwidth", DoesNotHold, termBandwidth, "all_gather over dp across nodes takes 3× its prediction: check the bandwidth between nodes", func(r *Report) {
			r.Links[1].Bandwidth *= 3
			r.Calls[0].Measured *= 3
		}},
		{"latency", DoesNotHold, termLatency, "check the latency between nodes", func(r *Report) {
			r.Links[1].Latency *= 10
			r.Calls[2].Predicted, r.Calls[2].Latency = 0.06, 0.06
		}},
		{"NICs", DoesNotHold, termNICs, "check the NICs of a node", func(r *Report) {
			r.Links[1].Probed.Shared /= 2
			r.Calls[0].Measured *= 2
		}},
		{"a probe alone is not enough", Holds, "", "", func(r *Report) { r.Links[0].Probed.Shared /= 2 }},
		{"order", DoesNotHold, "", "regret", func(r *Report) { r.Layouts[0].Predicted = 9 }},
		{"noise", Inconclusive, "", "noise", func(r *Report) {
			for i := range r.Layouts {
				r.Layouts[i].StdErr = 5
			}
		}},
		{"unmeasured compute decides", Inconclusive, "", "measured compute", func(r *Report) {
			r.GPUs = 64
			for i := range r.Layouts {
				r.Layouts[i].Predicted, r.Layouts[i].Measured = 10+0.1*float64(i), 10+0.1*float64(i)
				r.Layouts[i].Compute = 9 - float64(i)
			}
		}},
		{"an unmeasured link decides", Inconclusive, "", "what is missing is all_gather over dp across nodes (assumed: no two ranks on two nodes)", func(r *Report) {
			r.GPUs = 64
			r.Calls[0].How, r.Calls[0].Nodes = "assumed: no two ranks on two nodes", 8
			r.Layouts[0].Unmeasured = map[string]float64{"across nodes": 0.9}
		}},
		{"what is assumed decides nothing", Holds, "", "", func(r *Report) {
			r.GPUs = 64
			for i := range r.Layouts {
				r.Layouts[i].Unmeasured = map[string]float64{"across nodes": 0.01}
			}
		}},
		{"one layout", Inconclusive, "", "one layout", func(r *Report) { r.Layouts = r.Layouts[:1] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reportOf(8)
			tt.change(r)
			r.Judge()
			v := r.Verdict
			if v.Status != tt.status || v.Term != tt.term || !strings.Contains(v.Sentence, tt.says) {
				t.Errorf("got %+v, want %s, term %q, with %q", v, tt.status, tt.term, tt.says)
			}
		})
	}
}

// TestReversal checks the factor against its definition: at that factor on
// compute the two layouts take equally long.
func TestReversal(t *testing.T) {
	r := &Report{Layouts: []Layout{{Measured: 1, Compute: 0.8, Predicted: 1}, {Measured: 1.1, Compute: 0.3, Predicted: 1.1}}}
	k := r.reversal(r.items())
	a, b := 1+(k-1)*0.8, 1.1+(k-1)*0.3
	if d := a - b; d > 1e-12 || d < -1e-12 {
		t.Errorf("factor %v: %v against %v", k, a, b)
	}
}

// TestFitCalls makes calls that take twice the latency and three times the time
// of the bytes, one of them disturbed, and wants both factors back.
func TestFitCalls(t *testing.T) {
	var calls []Call
	for i := range 10 {
		a, b := 0.01, 0.005*float64(i)
		calls = append(calls, Call{Op: "all_gather", Tier: 1, Predicted: a + b, Latency: a, Measured: 2*a + 3*b, Weight: 1})
	}
	calls[4].Measured *= 5
	latency, slower, ok := fitCalls(calls, 1)
	if !ok || math.Abs(latency-2) > 0.04 || math.Abs(slower-3) > 0.06 {
		t.Errorf("latency × %v, bytes × %v, %v; want 2 and 3", latency, slower, ok)
	}
	if _, _, ok := fitCalls(calls, 0); ok {
		t.Error("a tier without calls was fitted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"ranks":4,"nodes":2,"layouts":[{"layout":"dp=4","predicted_seconds":1,"measured_seconds":2}]}`))
	f.Add([]byte(`{"schema_version":1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("m.json", text)
		if err != nil {
			if strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("more than a line: %v", err)
			}
			return
		}
		var b strings.Builder
		Render(&b, r)
		if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("no figure: %s", s)
		}
	})
}

// What no measurement holds is one line, not a NaN of the answer.
func TestSavedFiguresAreBounded(t *testing.T) {
	const good = `{"schema_version":1,"ranks":4,"nodes":2,"layouts":[{"layout":"dp=4","predicted_seconds":1,"measured_seconds":2,"axes":[{"axis":"dp","predicted_seconds":0.5,"measured_seconds":0.6}]}],` +
		`"calls":[{"op":"send","predicted_seconds":1,"measured_seconds":3,"weight_seconds":1}]}`
	if _, err := Parse("m.json", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ was, now, want string }{
		{`"measured_seconds":2`, `"measured_seconds":1e308`, "m.json: layout dp=4: a time of 1e+308: out of range: want 1e-12 to 1e+09"},
		{`"measured_seconds":2`, `"measured_seconds":0`, "m.json: layout dp=4: a time of 0: out of range"},
		{`"axis":"dp","predicted_seconds":0.5,"measured_seconds":0.6`, ``, "m.json: layout dp=4: an entry of axes without a name"},
		{`"predicted_seconds":0.5,`, ``, "m.json: layout dp=4: a time of 0: out of range"},
		{`"measured_seconds":3`, `"measured_seconds":1e300`, "m.json: call send: a time of 1e+300: out of range"},
	} {
		_, err := Parse("m.json", []byte(strings.Replace(good, c.was, c.now, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.now, err, c.want)
		}
	}
}
