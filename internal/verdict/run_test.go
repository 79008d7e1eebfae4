package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/verify/host"
	"planner/verify/transport"
)

// quick is a measurement of a few seconds: layouts that cross nodes in
// different ways, on links slow enough that the machine's noise is small.
func quick(t *testing.T, shape string, change func(*hardware.Cluster)) (*Run, *Report) {
	t.Helper()
	s, err := transport.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	c := host.Profile(s)
	change(c)
	run, err := Prepare(context.Background(), Question{Emulate: shape, Cluster: c, SeqLen: 128, Batch: 8, Rounds: 3, Budget: 10 * time.Second,
		Framework: "any", Layouts: []string{"dp=4,zero=1", "tp=2,dp=2", "tp=2,pp=2,dp=1"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return run, r
}

const quickShape = "2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms"

// TestWrongProfiles makes a term of the profile wrong, and wants it named.
func TestWrongProfiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	for _, tt := range wrongProfiles {
		t.Run(tt.name, func(t *testing.T) {
			var r *Report
			for range 3 { // tests of other packages share the cores
				if _, r = quick(t, tt.shape, tt.change); r.Verdict.Term == tt.term {
					return
				}
			}
			t.Errorf("term %q, want %q: %s\n%+v", r.Verdict.Term, tt.term, r.Verdict.Sentence, r.Links)
		})
	}
}

// TestCalibrationMends starts from a profile with a third of the latency and
// three times the bandwidth, and wants planning with the fitted file to be
// better, and the file to be one that the catalog reads.
func TestCalibrationMends(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	defer goleak.VerifyNone(t)
	run, before := quick(t, quickShape, func(c *hardware.Cluster) { c.Tiers[1].Bandwidth *= 3 })
	file := filepath.Join(t.TempDir(), "host.toml")
	after, err := run.Calibrate(before, file)
	if err != nil {
		t.Fatal(err)
	}
	if after.Error > before.Error {
		t.Errorf("error %.3f → %.3f", before.Error, after.Error)
	}
	text, err := catalog.ReadFile("file", file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.ParseCluster(file, text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := run.Again(before, func() *hardware.Cluster { c.GPUs = 4; return c }())
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Layouts {
		if k := again.Layouts[i].Predicted / after.Layouts[i].Predicted; k < 0.999 || k > 1.001 {
			t.Errorf("%s: %v s from the file, %v s fitted", again.Layouts[i].Layout, again.Layouts[i].Predicted, after.Layouts[i].Predicted)
		}
	}
	saved, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Parse("saved", saved)
	if err != nil || same.Verdict != before.Verdict {
		t.Errorf("judged again: %+v, %v; was %+v", same, err, before.Verdict)
	}
	var b bytes.Buffer
	if Render(&b, same); b.Len() == 0 {
		t.Error("nothing rendered")
	}
}

// TestMend: of a profile with three times the bandwidth, calibrate --measure
// makes one with the emulator's, and planning with it is better on a replay
// that it has not seen.
func TestMend(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	s, err := transport.ParseShape(quickShape)
	if err != nil {
		t.Fatal(err)
	}
	c := host.Profile(s)
	c.Tiers[1].Bandwidth *= 3
	c.Tiers[1].PortRate *= 3
	run, err := Prepare(context.Background(), Question{Emulate: quickShape, Cluster: c, SeqLen: 128, Batch: 8, Rounds: 3, Budget: 10 * time.Second,
		Framework: "any", Layouts: []string{"dp=4,zero=1", "tp=2,dp=2", "tp=2,pp=2,dp=1"}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Mend(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if rate := m.Profile.Tiers[1].Bandwidth; rate < 36e6 || rate > 44e6 {
		t.Errorf("between nodes %v, want 40 MB/s; fitted to %s", rate, m.From)
	}
	if m.After.Error > m.Before.Error/2 || m.After.TauB < m.Before.TauB {
		t.Errorf("error %.3f → %.3f, tau-b %.2f → %.2f", m.Before.Error, m.After.Error, m.Before.TauB, m.After.TauB)
	}
	var b bytes.Buffer
	if m.Render(&b); !bytes.Contains(b.Bytes(), []byte("before     after")) {
		t.Errorf("rendered\n%s", b.String())
	}
}

// TestBundledModels: every bundled model has 12 layouts or more on each shape.
func TestBundledModels(t *testing.T) {
	for _, shape := range []string{"2x2:ib=40MB/s", "2x4:ib=40MB/s,nics=1", "4x1:ib=40MB/s", "1x4:nvlink=40MB/s"} {
		for _, m := range Models() {
			r, err := Prepare(context.Background(), Question{Emulate: shape, Model: m, Top: 12, Framework: "any"})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Chosen) < 12 {
				t.Errorf("%s on %s: %d layouts, want 12", m, shape, len(r.Chosen))
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, q := range []Question{
		{Emulate: "2y2"}, {Emulate: "1x1"}, {Emulate: "64x8"}, {Emulate: "2x2", Model: "absent"},
		{Emulate: "2x2", Hardware: "absent.toml"}, {Emulate: "2x2", Framework: "absent"},
		{Emulate: "2x2", Framework: "any", Layouts: []string{"tp=3"}}, {Emulate: "2x2", Framework: "any", Layouts: []string{"q=3"}},
	} {
		_, err := Prepare(context.Background(), q)
		if _, ok := err.(*catalog.Error); !ok {
			t.Errorf("%+v: %v: want one line that names the fault", q, err)
		}
	}
}
