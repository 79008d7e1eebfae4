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
	"time"

	"planner/verify/gpu/cuda"
	"planner/verify/replay"
)

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
	for _, p := range w.Programs {
		if r.maths != nil && len(p.Mixes) > 0 {
			if err := r.maths.Prepare(p.Mixes[r.ID/p.Inner]); err != nil {
				return err
			}
		}
	}
	for slots := slotsOf(w); len(r.issued) < slots; {
		m, err := r.compute.NewMark()
		if err != nil {
			return err
		}
		r.issued = append(r.issued, m)
	}
	return r.fabric.Load(w)
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
	e, err := t.event()
	return &replay.Reply{Events: []replay.Event{e}}, err
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
