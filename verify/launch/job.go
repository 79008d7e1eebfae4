package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"planner/verify/transport"
)

// Config says how a rank joins its job.
type Config struct {
	Kind     transport.Kind // not Goroutine
	Options  transport.Options
	Secret   string        // shared by all ranks; may be empty
	ShmDir   string        // where shared memory lies; empty for anonymous memory
	Listener net.Listener  // rank 0's, if it already listens; Join closes it
	Patience time.Duration // how long to wait for the other ranks; 0 is a minute
}

// leastFarewell is how long a rank waits at least for the others to finish:
// they may have been kept from the processor.
const leastFarewell = 2 * time.Second

// Job is a rank that has met the others.
type Job struct {
	Place
	World *transport.Process
	hub   *hub
	wire  *wire
	ended chan struct{}
	bye   chan struct{}
	once  sync.Once

	farewell time.Duration // how long to wait for the others to finish
}

// Join meets the other ranks at rank 0. It returns when all are there.
func Join(ctx context.Context, p Place, c Config) (*Job, error) {
	if c.Patience == 0 {
		c.Patience = time.Minute
	}
	patience := c.Patience
	if p.Rank != 0 {
		patience += grace // rank 0 knows who is missing
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	j := &Job{Place: p, ended: make(chan struct{}), bye: make(chan struct{}),
		farewell: max(c.Options.Limit(), leastFarewell)}
	if err := j.openHub(c); err != nil {
		return nil, err
	}
	if err := j.meet(ctx, c); err != nil {
		return nil, j.giveUp(err, patience)
	}
	j.World.Abort().OnDoubt(func(f *transport.Failure) { _ = j.wire.send(message{Kind: "doubt", Failure: f}) })
	go j.listen()
	j.World.OnStall(func(h transport.History) { _ = j.wire.send(message{Kind: "stall", Stall: &h}) })
	j.World.Abort().OnFail(func(f *transport.Failure) { _ = j.wire.send(message{Kind: "fail", Failure: f}) })
	return j, nil
}

// listen passes on what the hub says until the job ends.
func (j *Job) listen() {
	defer close(j.ended)
	for {
		m, err := j.wire.receive()
		switch {
		case err != nil:
			_ = j.World.Abort().Fail(&transport.Failure{Rank: 0, Peer: -1,
				Cause: "it is gone: its process ended in the middle of the job"})
			return
		case m.Kind == "fail" && m.Failure != nil:
			_ = j.World.Abort().Fail(m.Failure)
		case m.Kind == "ask":
			_ = j.wire.send(message{Kind: "alive", Ask: m.Ask})
		case m.Kind == "bye":
			close(j.bye)
			return
		}
	}
}

// Close leaves the job. It waits until the other ranks have finished too, so
// that nobody takes this rank for dead. All groups must be closed.
func (j *Job) Close() error {
	var err error
	j.once.Do(func() { err = j.close() })
	return err
}

func (j *Job) close() error {
	failed := j.leave()
	var f *transport.Failure
	if j.hub != nil && errors.As(failed, &f) {
		j.hub.broadcast(f) // before the hub closes
	}
	j.hangUp(failed != nil)
	if j.hub != nil {
		j.hub.close()
	}
	return errors.Join(failed, j.World.Close())
}

// hangUp closes the connection to the hub; after a failure not before the hub
// has read all that this rank said, or for a moment (see hub.close).
func (j *Job) hangUp(failed bool) {
	if c, ok := j.wire.Conn.(interface{ CloseWrite() error }); ok && failed {
		j.World.Abort().Told()
		_ = c.CloseWrite()
		select {
		case <-j.ended:
		case <-time.After(grace):
		}
	}
	_ = j.wire.Close()
	<-j.ended
}

// leave says that this rank is done and waits until all others are.
func (j *Job) leave() error {
	a := j.World.Abort()
	if a.Err() != nil || j.wire.send(message{Kind: "bye"}) != nil {
		return a.Err()
	}
	broken := make(chan struct{})
	a.OnFail(func(*transport.Failure) { close(broken) })
	select {
	case <-j.bye:
		return nil
	case <-broken:
	case <-time.After(j.farewell):
		_ = a.Fail(&transport.Failure{Rank: j.Rank, Peer: -1,
			Cause: fmt.Sprintf("the others did not finish within %v%s", j.farewell, j.World.Stopped())})
	}
	return a.Err()
}
