package launch

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// line is what lies between a rank and the hub.
type line struct {
	late time.Duration // by which the hub hears of the rank's failure, or end
	dead chan struct{} // once closed, nothing more comes of the rank but its end
}

// to passes a connection on to the hub at addr; it ends with the test.
func (l *line) to(t *testing.T, addr string) string {
	t.Helper()
	front := listener(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		rank, err := front.Accept()
		if err != nil {
			return
		}
		defer rank.Close()
		hub, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer hub.Close()
		wg.Go(func() { _, _ = io.Copy(rank, hub); _ = rank.Close() })
		l.pass(t.Context(), hub, rank)
	})
	t.Cleanup(func() { _ = front.Close(); wg.Wait() })
	return front.Addr().String()
}

// pass copies what the rank says until it ends or is dead.
func (l *line) pass(ctx context.Context, hub io.Writer, rank io.Reader) {
	for lines := bufio.NewReader(rank); ; {
		s, err := lines.ReadString('\n')
		dead := false
		select {
		case <-l.dead:
			dead = true
		default:
		}
		if dead || strings.Contains(s, `"kind":"fail"`) {
			select {
			case <-time.After(l.late):
			case <-ctx.Done():
			}
		}
		if dead || err != nil {
			return
		}
		_, _ = io.WriteString(hub, s)
	}
}

// TestCauseComesBeforeTheEnd ends the links of a rank in each way, while the
// hub hears late of it. The others name the cause.
func TestCauseComesBeforeTheEnd(t *testing.T) {
	const late = 100 * time.Millisecond
	tests := []struct {
		name string
		late time.Duration
		end  func(l *line, j *Job)
		want string
	}{
		{"it says why", late, func(_ *line, j *Job) {
			_ = j.World.Abort().Fail(&transport.Failure{Rank: 2, Peer: -1, Cause: "the disk is full"})
		}, "the disk is full"},
		{"it dies", late, func(l *line, _ *Job) { close(l.dead) }, "it is gone"},
		{"the link alone ends", 0, func(*line, *Job) {}, "peer rank 2: it closed the connection"},
		{"nobody answers", time.Hour, func(l *line, _ *Job) { close(l.dead) }, "peer rank 2: it closed the connection"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			between := &line{late: tt.late, dead: make(chan struct{})}
			errs := brokenJob(t, between, func(j *Job) { tt.end(between, j) })
			for r, err := range errs[:2] {
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "all_reduce #") {
					t.Errorf("rank %d: got %v, want %q in a call", r, err, tt.want)
				}
			}
		})
	}
}

// brokenJob runs three ranks, of which the last reaches the hub by a line and
// ends its links after the first call. It returns what their calls did.
func brokenJob(t *testing.T, between *line, end func(*Job)) []error {
	t.Helper()
	l := listener(t)
	errs := make([]error, 3)
	join := func(r int, addr string, c Config) {
		j, err := Join(t.Context(), Place{Rank: r, Size: 3, Address: addr}, c)
		if errs[r] = err; err != nil {
			return
		}
		errs[r] = twoCalls(j, func() { end(j) })
		_ = j.Close()
	}
	var wg sync.WaitGroup
	wg.Go(func() { join(0, l.Addr().String(), Config{Kind: transport.TCP, Listener: l}) })
	wg.Go(func() { join(1, l.Addr().String(), Config{Kind: transport.TCP}) })
	wg.Go(func() { join(2, between.to(t, l.Addr().String()), Config{Kind: transport.TCP}) })
	wg.Wait()
	return errs
}

// twoCalls does two calls. Rank 2 leaves after the first.
func twoCalls(j *Job, end func()) error {
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	b := make([]byte, 4<<10)
	if err = c.AllReduce(b, b, 1<<10, reduce.F32, reduce.Sum); err == nil && j.Rank != 2 {
		err = c.AllReduce(b, b, 1<<10, reduce.F32, reduce.Sum)
	}
	if j.Rank == 2 {
		end()
	}
	_ = c.Close()
	return err
}
