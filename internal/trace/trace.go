package trace

import (
	"fmt"
	"io"
	"sort"

	"planner/costmodel/timeline"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// MaxPasses bounds a trace: passes of a micro-batch through a model chunk, in
// either direction. Viewers become slow beyond a million slices.
const MaxPasses = 200_000

// Step writes the predicted step of a legal layout. It refuses a step of more
// than MaxPasses passes with an error that says what would do.
func Step(w io.Writer, p *strategies.Problem, l strategies.Layout, f *strategies.Profile) error {
	micro := p.Work.GlobalBatch / (l.DP * l.MBS)
	if n := 2 * micro * l.PP * l.VPP; n > MaxPasses {
		return catalog.Errorf("--global-batch %d: %d passes of micro-batches make too large a trace: use at most %d for this layout",
			p.Work.GlobalBatch, n, max(1, MaxPasses/(2*l.PP*l.VPP))*l.DP*l.MBS)
	}
	x := p.Explain(l, f)
	s := &step{
		out: newWriter(w, map[string]any{
			"model": p.Model.Name, "cluster": p.Cluster.Name, "gpus": p.Cluster.GPUs, "layout": l.String(), "framework": f.Name,
			"step_seconds": float64(x.Step), "note": "predicted; one process is one rank of each pipeline stage",
		}),
		t: p.Timeline(l, f), held: p.ChunkActivations(l, f), x: x,
	}
	s.names()
	s.slices()
	s.flows()
	s.counters()
	return s.out.close()
}

type step struct {
	out  *writer
	t    *timeline.Timeline
	held [][]unit.Bytes // activations of a micro-batch by rank and chunk
	x    *strategies.Explanation
}

// names labels processes and threads, in order.
func (s *step) names() {
	for rank := range s.t.Ranks {
		meta := func(name string, tid int, args map[string]any) {
			s.out.event(Event{Name: name, Phase: "M", PID: rank, TID: tid, Args: args})
		}
		meta("process_name", 0, map[string]any{"name": fmt.Sprintf("pipeline rank %d", rank)})
		meta("process_sort_index", 0, map[string]any{"sort_index": rank})
		for stream := range timeline.Stream(timeline.NumStreams) {
			if s.t.Busy(rank, stream) > 0 {
				meta("thread_name", int(stream), map[string]any{"name": stream.String()})
				meta("thread_sort_index", int(stream), map[string]any{"sort_index": int(stream)})
			}
		}
	}
}

// slices writes every task that takes time.
func (s *step) slices() {
	for i := range s.t.Tasks {
		x := &s.t.Tasks[i]
		start, end := at(x.Start), at(x.End)
		if end <= start {
			continue
		}
		e := Event{Name: title(x), Category: x.Kind.String(), Phase: "X", TS: start, Dur: end - start, PID: int(x.Rank), TID: int(x.Stream)}
		if x.Micro >= 0 {
			e.Args = map[string]any{"micro_batch": x.Micro, "chunk": x.Chunk, "what": x.What}
		}
		s.out.event(e)
	}
}

// title names a slice: F3, B3 or W3 for the kernels of a micro-batch, else what
// the task does.
func title(x *timeline.Task) string {
	switch {
	case x.Micro < 0:
		return x.What
	case x.Stream == timeline.Compute:
		return fmt.Sprintf("%c%d", "FBW"[x.Kind], x.Micro)
	}
	return fmt.Sprintf("%s %c%d", x.What, "FBW"[x.Kind], x.Micro)
}

// flows writes an arrow from each pass to the pass on the next stage that
// waits for its result.
func (s *step) flows() {
	id := 0
	for i := range s.t.Tasks {
		x := &s.t.Tasks[i]
		for _, d := range s.t.After(timeline.ID(i)) {
			from := &s.t.Tasks[d]
			if from.Rank == x.Rank || x.Micro < 0 || at(from.End) <= at(from.Start) || at(x.End) <= at(x.Start) {
				continue
			}
			id++
			e := Event{Name: x.Kind.String(), Category: "send", Phase: "s", ID: id, TS: (at(from.Start) + at(from.End)) / 2, PID: int(from.Rank), TID: int(from.Stream)}
			s.out.event(e)
			e.Phase, e.Binding, e.TS, e.PID, e.TID = "f", "e", at(x.Start), int(x.Rank), int(x.Stream)
			s.out.event(e)
		}
	}
}

// change is memory that a rank takes or gives back.
type change struct {
	at    micros
	bytes unit.Bytes
}

// counters writes the memory of each rank: state and buffers, which live
// through the step, and the activations of the micro-batches in flight.
func (s *step) counters() {
	changes := make([][]change, s.t.Ranks)
	release := timeline.Backward
	for i := range s.t.Tasks {
		if s.t.Tasks[i].Kind == timeline.Weight {
			release = timeline.Weight
		}
	}
	s.eachPass(func(first, last *timeline.Task) {
		keep := s.held[first.Rank][first.Chunk]
		switch first.Kind {
		case timeline.Forward:
			changes[first.Rank] = append(changes[first.Rank], change{at(first.Start), keep})
		case release:
			changes[first.Rank] = append(changes[first.Rank], change{at(last.End), -keep})
		}
	})
	for rank, list := range changes {
		m := s.x.Stages[rank].Memory
		fixed := m.Total() - m.Activations
		held := unit.Bytes(0)
		s.count(rank, 0, fixed, held)
		sort.SliceStable(list, func(i, j int) bool { return list[i].at < list[j].at })
		for i, c := range list {
			held += c.bytes
			if i+1 == len(list) || list[i+1].at > c.at {
				s.count(rank, c.at, fixed, max(0, held))
			}
		}
	}
}

func (s *step) count(rank int, t micros, fixed, held unit.Bytes) {
	s.out.event(Event{Name: "memory, GiB", Phase: "C", TS: t, PID: rank,
		Args: map[string]any{"state and buffers": round(fixed.GiB()), "activations": round(held.GiB())}})
}

func round(x float64) float64 { return float64(int64(x*1e4+0.5)) / 1e4 }

// eachPass calls visit with the first and the last task of every pass.
func (s *step) eachPass(visit func(first, last *timeline.Task)) {
	tasks := s.t.Tasks
	for i := 0; i < len(tasks); {
		j := i + 1
		for j < len(tasks) && tasks[j].Rank == tasks[i].Rank && tasks[j].Kind == tasks[i].Kind &&
			tasks[j].Micro == tasks[i].Micro && tasks[j].Chunk == tasks[i].Chunk {
			j++
		}
		if tasks[i].Micro >= 0 {
			visit(&tasks[i], &tasks[j-1])
		}
		i = j
	}
}
