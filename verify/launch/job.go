package launch

import (
	"context"
	"crypto/hmac"
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
	go j.listen()
	j.World.OnStall(func(h transport.History) { _ = j.wire.send(message{Kind: "stall", Stall: &h}) })
	j.World.Abort().OnFail(func(f *transport.Failure) { _ = j.wire.send(message{Kind: "fail", Failure: f}) })
	return j, nil
}

// giveUp leaves a job that has not come together, and says why.
func (j *Job) giveUp(err error, patience time.Duration) error {
	late := errors.Is(err, context.DeadlineExceeded)
	switch {
	case late && j.hub == nil:
		err = fmt.Errorf("rank 0 at %s: no welcome within %v", j.Address, patience)
	case late && len(j.hub.missing()) > 0:
		err = fmt.Errorf("ranks %v: did not come within %v", j.hub.missing(), patience)
	}
	if j.hub != nil {
		j.hub.broadcast(failureOf(j.Rank, err)) // before this rank seems lost
	}
	if j.wire != nil {
		_ = j.wire.Close()
	}
	if j.hub != nil {
		j.hub.close()
	}
	return err
}

// openHub starts the meeting point in rank 0.
func (j *Job) openHub(c Config) error {
	if j.Rank != 0 {
		return nil
	}
	l := c.Listener
	if l == nil {
		_, port, err := net.SplitHostPort(j.Address)
		if err != nil {
			return fmt.Errorf("address %q: %w", j.Address, err)
		}
		if l, err = net.Listen("tcp", ":"+port); err != nil {
			return fmt.Errorf("rank 0 cannot listen at port %s: %w: want MASTER_PORT set to a free one", port, err)
		}
	}
	j.hub = newHub(l, j.Size, c.Secret)
	return nil
}

// meet introduces this rank and waits for the welcome.
func (j *Job) meet(ctx context.Context, c Config) error {
	conn, err := dial(ctx, j.Address)
	if err != nil {
		return err
	}
	j.wire = newWire(conn)
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	if err != nil {
		return err
	}
	seat, err := transport.NewSeat(c.Kind, host, c.ShmDir)
	if err != nil {
		return err
	}
	m, err := j.introduce(c, seat)
	if err != nil {
		return errors.Join(because(ctx, err), seat.Close())
	}
	j.World, err = seat.Take(j.Rank, m.Peers, m.Key, c.Options)
	return err
}

// because prefers the end of the waiting time over what it led to.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (j *Job) introduce(c Config, seat *transport.Seat) (message, error) {
	m, err := j.wire.receive()
	if err != nil {
		return m, fmt.Errorf("rank 0 at %s: %w", j.Address, err)
	}
	if m.Kind != "challenge" || m.Version != version {
		return m, fmt.Errorf("rank 0 at %s: version %d of the protocol: want %d", j.Address, m.Version, version)
	}
	err = j.wire.send(message{Kind: "hello", Version: version, Rank: j.Rank, Size: j.Size, Peer: &seat.Peer,
		Proof: proof(c.Secret, m.Nonce, fmt.Sprintf("rank %d of %d", j.Rank, j.Size))})
	if err == nil {
		m, err = j.wire.receive()
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("rank 0 at %s: %w", j.Address, err)
	case m.Kind == "refuse":
		return m, fmt.Errorf("rank 0 at %s refused rank %d: %s", j.Address, j.Rank, m.Reason)
	case m.Kind == "fail" && m.Failure != nil:
		return m, m.Failure
	case m.Kind != "welcome" || len(m.Peers) != j.Size || hmac.Equal(m.Key, nil):
		return m, fmt.Errorf("rank 0 at %s: no welcome", j.Address)
	}
	return m, nil
}

// dial tries until rank 0 listens: launchers start ranks in any order.
func dial(ctx context.Context, address string) (net.Conn, error) {
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil || ctx.Err() != nil {
			return c, because(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("rank 0 at %s: %w", address, err)
		case <-time.After(20 * time.Millisecond): // for another process to begin
		}
	}
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
	_ = j.wire.Close()
	<-j.ended
	if j.hub != nil {
		j.hub.close()
	}
	return errors.Join(failed, j.World.Close())
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
