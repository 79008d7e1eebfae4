package replay

import (
	"context"
	"errors"
	"fmt"

	"planner/verify/transport"
)

// What ranks of other kinds, on GPUs for instance, are told and answer.
type (
	Command = command
	Reply   = reply
	Event   = event
)

// The kinds of commands.
const (
	CmdLoad     = cmdLoad
	CmdStep     = cmdStep
	CmdSample   = cmdSample
	CmdSentinel = cmdSentinel
	CmdExchange = cmdExchange
	CmdEnd      = cmdEnd
)

// Rank is one rank of another kind. Where its clock is its own, it says of a
// call how long it took alone: Event.Begin is −duration, End is 0.
type Rank interface {
	Do(ctx context.Context, c *Command) (*Reply, error)
}

// Serve carries out a work on ranks of another kind that meet over w, each of
// which calls it. Rank 0 gives the work and gets the result.
func Serve(ctx context.Context, w transport.World, r Rank, work *Work, progress func(round, of int)) (*Result, error) {
	c, err := newControl(w)
	if err != nil {
		return nil, err
	}
	s := &server{control: c, rank: r, world: w}
	defer context.AfterFunc(ctx, func() {
		_ = w.Abort().Suspect(&transport.Failure{Rank: w.Rank(), Peer: -1, Cause: "interrupted"})
	})()
	if w.Rank() != 0 {
		err := s.follow(ctx)
		fail(w, err)
		return nil, errors.Join(err, c.port.Close())
	}
	out, err := drive(ctx, s, work, progress)
	if err != nil {
		fail(w, err)
		return nil, err
	}
	_, _, err = s.one(ctx, &command{Kind: cmdEnd})
	return out, errors.Join(err, c.port.Close())
}

// server passes commands between ranks of another kind.
type server struct {
	control *control
	rank    Rank
	world   transport.World
}

func (s *server) follow(ctx context.Context) error {
	for {
		c, _, err := s.one(ctx, nil)
		if err != nil || c.Kind == cmdEnd {
			return err
		}
	}
}

// one carries out one command, which rank 0 gives.
func (s *server) one(ctx context.Context, c *command) (*command, []*answer, error) {
	c, err := tell(s.control, c)
	if err != nil {
		return c, nil, err
	}
	if err := s.control.together(); err != nil {
		return c, nil, err
	}
	a := &answer{}
	if r, err := s.rank.Do(ctx, c); err != nil {
		a.Fault = err.Error()
	} else {
		a.Reply = *r
	}
	if c.Kind == cmdEnd {
		return c, nil, nil
	}
	all, err := collect(s.control, a)
	return c, all, err
}

func (s *server) size() int { return s.world.Size() }

func (s *server) emulated() bool { return false }

func (s *server) do(ctx context.Context, c *command) ([]*reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, all, err := s.one(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []*reply
	for r, a := range all {
		if a.Fault != "" {
			return nil, fmt.Errorf("rank %d: %s", r, a.Fault)
		}
		out = append(out, &a.Reply)
	}
	return out, nil
}

// Together carries out a work on ranks of another kind that are goroutines of
// this process.
func Together(ctx context.Context, ranks []Rank, work *Work, progress func(round, of int)) (*Result, error) {
	return drive(ctx, inProcess(ranks), work, progress)
}

type inProcess []Rank

func (p inProcess) size() int { return len(p) }

func (p inProcess) emulated() bool { return false }

func (p inProcess) do(ctx context.Context, c *command) ([]*reply, error) {
	type result struct {
		rank  int
		reply *reply
		err   error
	}
	done := make(chan result, len(p))
	for r := range p {
		go func() {
			out, err := p[r].Do(ctx, c)
			done <- result{r, out, err}
		}()
	}
	replies := make([]*reply, len(p))
	var faults error
	for range p {
		x := <-done
		if replies[x.rank] = x.reply; x.err != nil {
			faults = errors.Join(faults, fmt.Errorf("rank %d: %w", x.rank, x.err))
		}
	}
	return replies, faults
}
