package bands

import (
	"testing"

	"planner/internal/catalog"
	"planner/strategies"
)

func estimate(t *testing.T, framework, gpu string, gpus int) (*strategies.Problem, strategies.Estimate) {
	t.Helper()
	m, err := catalog.Model("llama3.1-8b")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Cluster(gpu, gpus)
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := catalog.Profiles(framework)
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.Problem(m, c, strategies.Workload{Seq: 4096, GlobalBatch: 512}, profiles)
	if err != nil {
		t.Fatal(err)
	}
	l, v := strategies.Layout{TP: 2, PP: 1, VPP: 1, CP: 1, EP: 1, MBS: 1, SP: true, Zero: 1}.Complete(gpus)
	if v != nil {
		t.Fatal(v)
	}
	return p, p.Estimate(l, profiles[0])
}

// A kind of run with measurements gets a band around 1 and no note; a
// framework without any a wider one that says so; a calibrated cluster a
// narrow one.
func TestOf(t *testing.T) {
	p, e := estimate(t, "megatron", "h100-sxm-80gb", 64)
	near := Of(p, &e)
	if near.Comparable < 12 || near.Note != "" || near.Low >= 1 || near.High <= 1 {
		t.Errorf("megatron on H100: %+v", near)
	}
	q, f := estimate(t, "torchtitan", "mi300x", 64)
	far := Of(q, &f)
	if far.Comparable != 0 || far.Note == "" || far.High-far.Low <= near.High-near.Low {
		t.Errorf("torchtitan on MI300X: %+v, want wider than %+v and a note", far, near)
	}
	q.Correction = 1.1
	if own := Of(q, &f); own.High-own.Low >= far.High-far.Low || own.Note == "" {
		t.Errorf("calibrated: %+v, want narrower than %+v", own, far)
	}
	if b := Fill(p, &e); e.Low != e.Step.Times(b.Low) || e.High != e.Step.Times(b.High) {
		t.Errorf("low %v, high %v of %v under %+v", e.Low, e.High, e.Step, b)
	}
}

// Runs of 4 Ki tokens say little of 128 Ki.
func TestBeyondTheRuns(t *testing.T) {
	p, e := estimate(t, "megatron", "h100-sxm-80gb", 64)
	f := &file{Unseen: Entry{Low: 0.8, High: 1.7}, Kind: map[string]Entry{}}
	for _, k := range Keys(p, &e) {
		f.Kind[k] = Entry{Low: 0.9, High: 1.1, Runs: 50, Longest: 4096, CP: 2}
	}
	if b := f.of(p, &e); b.Comparable != 50 || b.High != 1.1 {
		t.Errorf("at 4 Ki: %+v", b)
	}
	p.Work.Seq = 131072
	if b := f.of(p, &e); b.Comparable != 0 || b.High != 1.7 || b.Note == "" {
		t.Errorf("at 128 Ki: %+v", b)
	}
	p.Work.Seq, e.Layout.CP = 4096, 8
	if b := f.of(p, &e); b.Note == "" {
		t.Errorf("at cp=8: %+v", b)
	}
}
