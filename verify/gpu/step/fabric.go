package step

import (
	"time"

	"planner/verify/gpu/cuda"
	"planner/verify/replay"
)

// Lane is a stream of a rank's GPU.
type Lane interface {
	Use() error
	Stream() uintptr
	Idle() (bool, error)
	Alloc(n int) (uintptr, error)
	Free(p uintptr) error
	Write(p uintptr, b []byte) error
	NewMark() (cuda.Mark, error)
	FreeMark(m cuda.Mark) error
	Record(m cuda.Mark) error
	Await(m cuda.Mark) error
	Between(a, b cuda.Mark) (float64, error)
}

// Fabric makes a rank's calls.
type Fabric interface {
	// Load opens what a work's calls need; all ranks do at once.
	Load(w *replay.Work) error
	// Start puts a call behind the mark after, and returns its ticket. It does
	// not wait for other ranks.
	Start(c Calling, after cuda.Mark) (*Ticket, error)
	// Exchange sends bursts between pairs and returns how long a word there and
	// back took.
	Exchange(c *replay.Command) (time.Duration, error)
	// Sentinel makes a fixed call of all ranks and waits for it.
	Sentinel() error
	// Watch reports what has gone wrong on the way.
	Watch() error
	Close() error
}

// Calling is a call of a program or a sample.
type Calling struct {
	Program int // of the work, -1: a sample
	Action  *replay.Action
	Sample  int
	Slot    int // of the marks that it may use
}

// Ticket is a call on its way. Its marks may be looked at once Queued is
// closed: the call then stands on the streams.
type Ticket struct {
	Group      uint64
	Seq, Row   int32
	Lane       Lane
	Begin, End cuda.Mark
	Queued     chan struct{}
	Err        error
}

// event returns what the GPU's clock says of a call that is done.
func (t *Ticket) event() (replay.Event, error) {
	took, err := t.Lane.Between(t.Begin, t.End)
	return replay.Event{Group: t.Group, Seq: t.Seq, Row: t.Row, Begin: -time.Duration(took * 1e9)}, err
}
