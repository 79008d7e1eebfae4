package timeline_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/costmodel"
	"planner/costmodel/timeline"
	"planner/hardware/unit"
)

// stagesOf draws the stages of a pipeline: a first, a last and equal ones
// between, as different as embeddings and heads make them.
func stagesOf(t *rapid.T, p int) []costmodel.StageTime {
	near := func(what string) float64 { return rapid.Float64Range(0.7, 1.5).Draw(t, what) }
	fwd, bwd := rapid.Float64Range(0.1, 1).Draw(t, "fwd"), rapid.Float64Range(0.1, 2).Draw(t, "bwd")
	weight := bwd * rapid.Float64Range(0.2, 0.5).Draw(t, "weight")
	stage := func(ranks int) costmodel.StageTime {
		size := near("size")
		tilt := rapid.Float64Range(0.97, 1.03).Draw(t, "tilt")
		return costmodel.StageTime{Fwd: unit.Seconds(fwd * size * tilt), Bwd: unit.Seconds(bwd * size / tilt),
			Weight: unit.Seconds(weight * size), Ranks: ranks}
	}
	switch {
	case p == 1:
		return []costmodel.StageTime{stage(1)}
	case p == 2:
		return []costmodel.StageTime{stage(1), stage(1)}
	}
	return []costmodel.StageTime{stage(1), stage(p - 2), stage(1)}
}

// pipelineOf runs the stages with equal chunks.
func pipelineOf(s costmodel.Schedule, stages []costmodel.StageTime, p, v, m int) *timeline.Pipeline {
	var by []costmodel.StageTime
	for _, x := range stages {
		for range x.Ranks {
			by = append(by, x)
		}
	}
	return &timeline.Pipeline{Schedule: s, Ranks: p, Chunks: v, Micro: m, Pass: func(rank, _ int, k timeline.Kind) []timeline.Segment {
		x := by[rank]
		t := x.Fwd
		switch {
		case k == timeline.Weight:
			t = x.Weight
		case k == timeline.Backward && s == costmodel.ZBH1:
			t = x.Bwd - x.Weight
		case k == timeline.Backward:
			t = x.Bwd
		}
		return []timeline.Segment{{Dur: t.Times(1 / float64(v))}}
	}}
}

// shape draws a schedule with ranks, chunks and micro-batches that it can run.
func shape(t *rapid.T) (s costmodel.Schedule, p, v, m int) {
	s = rapid.SampledFrom([]costmodel.Schedule{costmodel.OneFOneB, costmodel.GPipe, costmodel.ZBH1, costmodel.Interleaved}).Draw(t, "schedule")
	p, v, m = rapid.IntRange(1, 12).Draw(t, "p"), 1, rapid.IntRange(1, 40).Draw(t, "m")
	if s == costmodel.Interleaved {
		v, m = rapid.IntRange(2, 5).Draw(t, "v"), p*rapid.IntRange(1, 6).Draw(t, "groups")
	}
	return s, p, v, m
}

func walked(t testing.TB, s costmodel.Schedule, stages []costmodel.StageTime, p, v, m int) *timeline.Timeline {
	t.Helper()
	tl := pipelineOf(s, stages, p, v, m).Build()
	if err := tl.Walk(); err != nil {
		t.Fatal(err)
	}
	return tl
}

// TestEqualStages holds the walk against the published bubbles of equal stages:
// (p−1)/v of a micro-batch's time (Narayanan et al. 2021, section 2.2; Huang et
// al. 2019, section 2.3) and (p−1)(F+B−W) for ZB-H1 (Qi et al. 2023, table 1;
// B there is the input gradient alone).
func TestEqualStages(t *testing.T) {
	const f, b, w = 1.0, 2.0, 0.75
	for _, c := range []struct {
		s       costmodel.Schedule
		p, v, m int
		bubble  float64
	}{
		{costmodel.GPipe, 4, 1, 8, 3 * (f + b)},
		{costmodel.OneFOneB, 4, 1, 8, 3 * (f + b)},
		{costmodel.OneFOneB, 8, 1, 3, 7 * (f + b)},
		{costmodel.OneFOneB, 1, 1, 5, 0},
		{costmodel.Interleaved, 4, 2, 8, 3 * (f + b) / 2},
		{costmodel.Interleaved, 4, 5, 4, 3 * (f + b) / 5},
		{costmodel.Interleaved, 8, 3, 24, 7 * (f + b) / 3},
		{costmodel.ZBH1, 4, 1, 8, 3 * (f + b - 2*w)},
		{costmodel.ZBH1, 8, 1, 64, 7 * (f + b - 2*w)},
	} {
		stages := []costmodel.StageTime{{Fwd: f, Bwd: b, Weight: w, Ranks: c.p}}
		want := float64(c.m)*(f+b) + c.bubble
		if got := float64(walked(t, c.s, stages, c.p, c.v, c.m).Makespan()); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s p=%d v=%d m=%d: walk takes %v, want %v", c.s, c.p, c.v, c.m, got, want)
		}
		if got := float64(costmodel.PipelineTime(c.s, stages, float64(c.m), float64(c.v))); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s p=%d v=%d m=%d: closed form gives %v, want %v", c.s, c.p, c.v, c.m, got, want)
		}
	}
}

// TestClosedForm holds the closed form against the walk on stages that differ
// by up to twice. It is the length of one path, so it is never above the walk;
// GPipe's is exact, and the others' are as a rule.
func TestClosedForm(t *testing.T) {
	checked, off := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, p, v, m := shape(t)
		stages := stagesOf(t, p)
		tl := pipelineOf(s, stages, p, v, m).Build()
		if err := tl.Walk(); err != nil {
			t.Fatal(err)
		}
		closed := costmodel.PipelineTime(s, stages, float64(m), float64(v))
		dev := float64(closed/tl.Makespan()) - 1
		if dev > 1e-9 || dev < -0.08 || s == costmodel.GPipe && dev < -1e-9 {
			t.Fatalf("closed form %v, walk %v (%+.4f)", closed, tl.Makespan(), dev)
		}
		checked++
		if dev < -0.005 {
			off++
		}
	})
	if off*20 > checked {
		t.Errorf("closed form more than 0.5 %% below the walk in %d of %d pipelines, want at most a twentieth", off, checked)
	}
}

// TestOnce checks that a phase begins when every rank has ended the one
// before, and that leads and tails lengthen the step by what nothing covers.
func TestOnce(t *testing.T) {
	p := pipelineOf(costmodel.OneFOneB, []costmodel.StageTime{{Fwd: 1, Bwd: 2, Ranks: 2}}, 2, 1, 2)
	p.Lead, p.Tail = []unit.Seconds{0.5, 1}, []unit.Seconds{1, 2.5}
	p.Once = [][][]timeline.Segment{{{{Dur: 1}}, {{Dur: 3}}}, {{{Dur: 1}}, nil}}
	tl := p.Build()
	if err := tl.Walk(); err != nil {
		t.Fatal(err)
	}
	// Rank 0 starts at 0.5; (2+1)·3 = 9 follow; its tail of 1 outlasts that of
	// rank 1, which starts 2 earlier, unless that is 2.5 + 0.5 late: 10.5.
	if want := unit.Seconds(0.5 + 9 + 1 + 3 + 1); tl.Makespan() != want {
		t.Errorf("makespan %v, want %v", tl.Makespan(), want)
	}
	tl.Stretch(2)
	if want := unit.Seconds(29); tl.Makespan() != want {
		t.Errorf("stretched makespan %v, want %v", tl.Makespan(), want)
	}
}
