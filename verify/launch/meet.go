package launch

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net"
	"time"

	"planner/verify/transport"
)

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
