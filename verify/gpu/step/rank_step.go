package step

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"planner/verify/replay"
)

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
		e, err := t.event()
		if err != nil {
			return nil, err
		}
		reply.Events = append(reply.Events, e)
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
