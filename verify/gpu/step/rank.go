// Package step replays the training step of a layout on GPUs: the programs of
// package replay, with their calls by NCCL, RCCL or the engine's own kernels,
// each on the stream of its axis, and their compute as real matrix products
// and memory traffic on a stream beside.
//
// All of a step is put on the streams ahead of the GPU, as a training
// framework does; streams wait for each other by events alone.
package step

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

// Rank is one rank: it carries out what package replay's drivers say.
type Rank struct {
	ID      int
	Timeout time.Duration
	compute Lane
	fabric  Fabric
	maths   Maths
	work    *replay.Work
	issued  []cuda.Mark // by slot: where the compute stream was
}

// NewRank returns a rank that computes on a stream. A nil maths leaves the
// compute out: then only calls are measured.
func NewRank(id int, compute Lane, f Fabric, m Maths, timeout time.Duration) *Rank {
	return &Rank{ID: id, Timeout: timeout, compute: compute, fabric: f, maths: m}
}

// Do carries out a command.
func (r *Rank) Do(ctx context.Context, c *replay.Command) (*replay.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch c.Kind {
	case replay.CmdLoad:
		return &replay.Reply{}, r.load(c.Work)
	case replay.CmdStep:
		return r.step(ctx, c.Index)
	case replay.CmdSample:
		return r.sample(ctx, c.Index)
	case replay.CmdSentinel:
		return &replay.Reply{}, r.fabric.Sentinel()
	case replay.CmdExchange:
		took, err := r.fabric.Exchange(c)
		return &replay.Reply{End: took}, err
	case replay.CmdEnd:
		return &replay.Reply{}, r.close()
	}
	return &replay.Reply{}, nil
}

func (r *Rank) load(w *replay.Work) error {
	if err := Check(w); err != nil {
		return err
	}
	r.work = w
	slots := 1
	for _, p := range w.Programs {
		slots = max(slots, p.Slots)
		if r.maths != nil && len(p.Mixes) > 0 {
			if err := r.maths.Prepare(p.Mixes[r.ID/p.Inner]); err != nil {
				return err
			}
		}
	}
	for len(r.issued) < slots {
		m, err := r.compute.NewMark()
		if err != nil {
			return err
		}
		r.issued = append(r.issued, m)
	}
	return r.fabric.Load(w)
}

// step replays program i. Its time is by the host's clock, from when all ranks
// were told until this one's streams are empty.
func (r *Rank) step(ctx context.Context, i int) (*replay.Reply, error) {
	p := r.work.Programs[i]
	begin := time.Now()
	tickets, err := r.issue(i, p)
	if err == nil {
		err = r.wait(ctx, tickets)
	}
	if err != nil {
		return nil, err
	}
	reply := &replay.Reply{End: time.Since(begin) + r.host(p)}
	for _, t := range tickets {
		if t == nil {
			continue
		}
		took, err := t.Lane.Between(t.Begin, t.End)
		if err != nil {
			return nil, err
		}
		reply.Events = append(reply.Events, replay.Event{Group: t.Group, Seq: t.Seq, Row: t.Row,
			Begin: -time.Duration(took * 1e9)})
	}
	return reply, nil
}

// host returns what the framework's own time adds to the step, as the plan has
// it: nothing computes meanwhile, and nothing is run for it.
func (r *Rank) host(p *replay.Program) time.Duration {
	if r.maths == nil || len(p.Mixes) == 0 {
		return 0
	}
	return time.Duration(p.Mixes[r.ID/p.Inner].Host * 1e9)
}

// issue puts a whole step on the streams.
func (r *Rank) issue(i int, p *replay.Program) ([]*Ticket, error) {
	stage := r.ID / p.Inner
	tickets := make([]*Ticket, p.Slots)
	run := r.running(p, stage)
	program := p.Stages[stage]
	for at := range program {
		a := &program[at]
		switch a.Kind {
		case replay.Delay:
			if err := run.delay(a.Seconds, at == len(program)-1); err != nil {
				return nil, err
			}
		case replay.Start:
			mark := r.issued[a.Slot]
			if err := r.compute.Record(mark); err != nil {
				return nil, err
			}
			t, err := r.fabric.Start(Calling{Program: i, Action: a, Slot: int(a.Slot)}, mark)
			if err != nil {
				return nil, err
			}
			t.Row, tickets[a.Slot] = a.Row, t
		case replay.Wait:
			if err := r.await(tickets[a.Slot]); err != nil {
				return nil, err
			}
		}
	}
	return tickets, nil
}

// await makes the compute stream wait for a call, once that stands on its own.
func (r *Rank) await(t *Ticket) error {
	if t == nil {
		return errors.New("program: waits for what it has not started")
	}
	if err := r.queued(t); err != nil {
		return err
	}
	return r.compute.Await(t.End)
}

func (r *Rank) queued(t *Ticket) error {
	select {
	case <-t.Queued:
		return t.Err
	default:
	}
	end := time.NewTimer(r.Timeout)
	defer end.Stop()
	select {
	case <-t.Queued:
		return t.Err
	case <-end.C:
		return fmt.Errorf("rank %d: a call was not made by all its ranks for %v", r.ID, r.Timeout)
	}
}

// wait returns when all of the step is done.
func (r *Rank) wait(ctx context.Context, tickets []*Ticket) error {
	lanes := map[Lane]bool{r.compute: true}
	for _, t := range tickets {
		if t == nil {
			continue
		}
		if err := r.queued(t); err != nil {
			return err
		}
		lanes[t.Lane] = true
	}
	end := time.Now().Add(r.Timeout)
	for l := range lanes {
		for n := 0; ; n++ {
			idle, err := l.Idle()
			if err == nil && n%64 == 63 {
				err = r.doubt(ctx, end)
			}
			if err != nil {
				return fmt.Errorf("rank %d: %w", r.ID, err)
			}
			if idle {
				break
			}
			runtime.Gosched()
		}
	}
	return r.fabric.Watch()
}

// doubt says why waiting is to end.
func (r *Rank) doubt(ctx context.Context, end time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if time.Now().After(end) {
		return fmt.Errorf("step: not done after %v: a rank is gone or did not make a call", r.Timeout)
	}
	return r.fabric.Watch()
}

// sample makes one call and times it on the GPU.
func (r *Rank) sample(ctx context.Context, i int) (*replay.Reply, error) {
	mark := r.issued[0]
	if err := r.compute.Record(mark); err != nil {
		return nil, err
	}
	t, err := r.fabric.Start(Calling{Program: -1, Sample: i}, mark)
	if err != nil || t == nil { // not of a group
		return &replay.Reply{}, err
	}
	if err := r.wait(ctx, []*Ticket{t}); err != nil {
		return nil, err
	}
	took, err := t.Lane.Between(t.Begin, t.End)
	return &replay.Reply{Events: []replay.Event{{Group: t.Group, Seq: t.Seq, Begin: -time.Duration(took * 1e9)}}}, err
}

func (r *Rank) close() error {
	var errs []error
	for _, m := range r.issued {
		errs = append(errs, r.compute.FreeMark(m))
	}
	r.issued = nil
	if r.maths != nil {
		errs = append(errs, r.maths.Close())
	}
	return errors.Join(append(errs, r.fabric.Close())...)
}
