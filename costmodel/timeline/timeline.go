// Package timeline says what a training step does when: tasks on the streams
// of pipeline ranks, in order on each stream and after the tasks that they
// wait for. Orders of pipeline schedules are in order.go, the expansion of a
// schedule into tasks in pipeline.go. The package knows durations and
// dependencies, not layouts.
package timeline

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Stream is one queue of a rank: its tasks run one at a time, in order.
type Stream uint8

// Compute is the stream of kernels; each axis of communication has a stream
// of its own, Comm.
const Compute Stream = 0

// NumStreams is the number of streams of a rank.
const NumStreams = 1 + int(collective.NumAxes)

// Comm returns the stream of an axis of communication.
func Comm(a collective.Axis) Stream { return 1 + Stream(a) }

// String returns "compute", or the lower-case name of the axis.
func (s Stream) String() string {
	if s == Compute {
		return "compute"
	}
	return collective.Axis(s - 1).String()
}

// Kind is the part of the step that a task belongs to.
type Kind uint8

// The kinds. Backward computes weight gradients too, except under a schedule
// that splits it, where Weight does.
const (
	Forward  Kind = iota
	Backward      // gradients of inputs, and of weights unless split
	Weight        // gradients of weights alone
	Lead          // parameters gathered before the first forward pass
	Tail          // gradients reduced after the last backward pass
	Once          // norms, optimizer and the like, once a step
)

var kindNames = [...]string{"forward", "backward", "weight", "lead", "tail", "once"}

// String returns the lower-case name.
func (k Kind) String() string { return kindNames[k] }

// ID numbers the tasks of a timeline in the order in which they were added.
type ID int32

// Task is one piece of work of one rank. Micro and Chunk are −1 for work that
// belongs to no micro-batch. Walk fills Start and End.
type Task struct {
	Rank, Micro, Chunk int32
	Kind               Kind
	Stream             Stream
	What               string // what the task does, such as "layers" or "hop"
	Dur                unit.Seconds
	Start, End         unit.Seconds

	deps, numDeps int32 // tasks waited for, in Timeline.after
}

// Timeline is the tasks of one step. The zero Timeline is empty and ready.
type Timeline struct {
	Tasks []Task
	Ranks int // one more than the highest rank
	after []ID
}

// Add appends a task, which starts when its stream is free and every task of
// after has ended, and returns its ID. Tasks of after may be added later.
func (t *Timeline) Add(task Task, after ...ID) ID {
	task.deps, task.numDeps = int32(len(t.after)), int32(len(after))
	t.after = append(t.after, after...)
	t.Tasks = append(t.Tasks, task)
	t.Ranks = max(t.Ranks, int(task.Rank)+1)
	return ID(len(t.Tasks) - 1)
}

// After returns the tasks that a task waits for, beside its stream.
func (t *Timeline) After(id ID) []ID {
	x := &t.Tasks[id]
	return t.after[x.deps : x.deps+x.numDeps]
}

// Makespan returns when the last task ends.
func (t *Timeline) Makespan() unit.Seconds {
	var end unit.Seconds
	for i := range t.Tasks {
		end = max(end, t.Tasks[i].End)
	}
	return end
}

// Stretch multiplies every time by k: what slows a whole step alike.
func (t *Timeline) Stretch(k float64) {
	for i := range t.Tasks {
		x := &t.Tasks[i]
		x.Dur, x.Start, x.End = x.Dur.Times(k), x.Start.Times(k), x.End.Times(k)
	}
}

// Busy returns the time that a stream of a rank works.
func (t *Timeline) Busy(rank int, s Stream) unit.Seconds {
	var busy unit.Seconds
	for i := range t.Tasks {
		if x := &t.Tasks[i]; int(x.Rank) == rank && x.Stream == s {
			busy += x.Dur
		}
	}
	return busy
}
