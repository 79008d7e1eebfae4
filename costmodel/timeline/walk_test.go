package timeline_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/costmodel/timeline"
	"planner/hardware/unit"
)

// TestWalkOverlaps: a call on its own stream runs beside compute, and what
// waits for both starts when the later one ends.
func TestWalkOverlaps(t *testing.T) {
	var tl timeline.Timeline
	a := tl.Add(timeline.Task{Dur: 2})
	c := tl.Add(timeline.Task{Stream: timeline.Comm(collective.AxisDP), Dur: 3}, a)
	b := tl.Add(timeline.Task{Dur: 2})
	d := tl.Add(timeline.Task{Dur: 1}, b, c)
	if err := tl.Walk(); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[timeline.ID][2]unit.Seconds{a: {0, 2}, b: {2, 4}, c: {2, 5}, d: {5, 6}} {
		if x := tl.Tasks[id]; x.Start != want[0] || x.End != want[1] {
			t.Errorf("task %d runs %v to %v, want %v", id, x.Start, x.End, want)
		}
	}
	if got := tl.Busy(0, timeline.Compute); got != 5 {
		t.Errorf("compute is busy for %v, want 5s", got)
	}
}

func TestWalkRefuses(t *testing.T) {
	var circle timeline.Timeline
	circle.Add(timeline.Task{Micro: 7}, 1)
	circle.Add(timeline.Task{Rank: 1}, 0)
	if err := circle.Walk(); err == nil || !strings.Contains(err.Error(), "2 of 2 tasks wait") || !strings.Contains(err.Error(), "micro-batch 7") {
		t.Errorf("circle: %v", err)
	}
	var missing timeline.Timeline
	missing.Add(timeline.Task{}, 5)
	if err := missing.Walk(); err == nil || !strings.Contains(err.Error(), "task 5 of 1") {
		t.Errorf("missing task: %v", err)
	}
}

// TestWalkKeepsOrder checks on any pipeline that no stream runs two tasks at
// once, that nothing starts before what it waits for, and that every task
// starts as early as these allow.
func TestWalkKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, p, v, m := shape(t)
		tl := pipelineOf(s, stagesOf(t, p), p, v, m).Build()
		if err := tl.Walk(); err != nil {
			t.Fatal(err)
		}
		free := map[[2]int]unit.Seconds{}
		for i := range tl.Tasks {
			x := &tl.Tasks[i]
			at := [2]int{int(x.Rank), int(x.Stream)}
			earliest := free[at]
			for _, d := range tl.After(timeline.ID(i)) {
				earliest = max(earliest, tl.Tasks[d].End)
			}
			if x.Start != earliest || x.End != x.Start+x.Dur {
				t.Fatalf("task %d runs %v to %v, want from %v", i, x.Start, x.End, earliest)
			}
			free[at] = x.End
		}
	})
}

func ExampleOrder() {
	for rank := range 2 {
		fmt.Print("rank ", rank, ":")
		for _, s := range timeline.Order(costmodel.OneFOneB, rank, 2, 1, 3) {
			fmt.Printf(" %s %d,", s.Kind, s.Micro)
		}
		fmt.Println(" end")
	}
	// Output:
	// rank 0: forward 0, forward 1, backward 0, forward 2, backward 1, backward 2, end
	// rank 1: forward 0, backward 0, forward 1, backward 1, forward 2, backward 2, end
}

func ExamplePipeline() {
	p := timeline.Pipeline{Schedule: costmodel.OneFOneB, Ranks: 4, Chunks: 1, Micro: 8,
		Pass: func(rank, chunk int, k timeline.Kind) []timeline.Segment {
			return []timeline.Segment{{Stream: timeline.Compute, What: "layers", Dur: unit.Seconds(k + 1)}}
		}}
	t := p.Build()
	if err := t.Walk(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(float64(t.Makespan()), "seconds:", 8*3, "of work and", 3*3, "of bubble")
	// Output: 33 seconds: 24 of work and 9 of bubble
}
