package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"planner/costmodel/collective/steps"
)

// Signals is what processes of one machine tell each other while they put
// calls on their streams: a stream that waits for an event waits for what was
// recorded by then, so a process must know that its peer has recorded.
type Signals interface {
	// Set says that this rank has made n marks of a kind, 0 or 1.
	Set(kind int, n uint64)
	// Wait returns when a rank has made n of them.
	Wait(rank, kind int, n uint64) error
	// Exchange returns what every rank gives, all as long.
	Exchange(mine []byte) ([][]byte, error)
}

// Across is one rank of a group whose ranks are processes of one machine, each
// on a GPU that reaches the others' memory. The steps are those of a [Group];
// memory and events travel as IPC handles. All ranks make the same calls.
type Across struct {
	// Timeout bounds Wait.
	Timeout    time.Duration
	Rank, Size int

	g        *Group // of this rank alone
	signals  Signals
	events   [2]eventHandle // own: ready, taken
	theirs   [][2]eventHandle
	bufs     [][steps.NumBufs]Pointer // by rank: input, output, scratch
	open     map[IPCHandle]Pointer
	given    [steps.NumBufs]Pointer
	made     [][2]uint64 // marks by rank, as all of them count
	declared bool
}

// The kinds of marks.
const (
	markReady = iota
	markTaken
)

// NewAcross returns this process's rank, on the GPU of a group of one, whose
// memory from now on is in whole blocks. All ranks call it at once.
func NewAcross(g *Group, rank, size int, s Signals) (*Across, error) {
	a := &Across{Timeout: 30 * time.Second, Rank: rank, Size: size, g: g, signals: s, open: map[IPCHandle]Pointer{},
		made: make([][2]uint64, size), bufs: make([][steps.NumBufs]Pointer, size), theirs: make([][2]eventHandle, size)}
	g.travels = true
	return a, g.on(a.meet)
}

// meet gives every rank the events of all.
func (a *Across) meet() error {
	d, r := a.g.d, a.g.ranks[0]
	if err := a.g.enter(r.gpu); err != nil {
		return err
	}
	if d.ipcEvent == nil || d.ipcOpenEvent == nil {
		return fmt.Errorf("%s: no events between processes: want a newer one", d.Path)
	}
	var mine []byte
	for i := range a.events {
		var h IPCHandle
		if err := d.check(d.eventCreate(&a.events[i], eventDisableTiming|eventInterprocess), "cuEventCreate"); err != nil {
			return err
		}
		if err := d.check(d.ipcEvent(&h, a.events[i]), "cuIpcGetEventHandle"); err != nil {
			return err
		}
		mine = append(mine, h.B[:]...)
	}
	all, err := a.signals.Exchange(mine)
	if err != nil {
		return err
	}
	for rank, text := range all {
		for i := range a.events {
			if rank == a.Rank {
				a.theirs[rank][i] = a.events[i]
				continue
			}
			h := IPCHandle{[64]byte(text[64*i:])}
			if err := d.check(d.ipcOpenEvent(&a.theirs[rank][i], h), "cuIpcOpenEventHandle"); err != nil {
				return fmt.Errorf("events of rank %d: %w", rank, err)
			}
		}
	}
	return nil
}

// Wait returns when all calls so far are done on this rank's stream.
func (a *Across) Wait() error { return a.g.on(a.wait) }

func (a *Across) wait() error {
	r := a.g.ranks[0]
	if err := a.g.enter(r.gpu); err != nil {
		return err
	}
	end := time.Now().Add(a.Timeout)
	for n := 0; ; n++ {
		q := a.g.d.streamQuery(r.stream)
		if q != notReady {
			return a.g.d.check(q, "cuStreamQuery")
		}
		if n%64 == 63 && time.Now().After(end) {
			return fmt.Errorf("rank %d: not done after %v: a rank is gone or did not make the call", a.Rank, a.Timeout)
		}
		runtime.Gosched()
	}
}

// Close gives the events back; the group stays its owner's.
func (a *Across) Close() error {
	err := a.Forget()
	return errors.Join(err, a.g.on(func() error {
		if err := a.g.enter(a.g.ranks[0].gpu); err != nil {
			return err
		}
		var errs []error
		for rank := range a.theirs {
			for _, e := range a.theirs[rank] {
				errs = append(errs, a.g.d.check(a.g.d.eventDestroy(e), "cuEventDestroy"))
			}
		}
		return errors.Join(errs...)
	}))
}
