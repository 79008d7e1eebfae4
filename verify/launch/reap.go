package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// rankCommand is the command of one rank.
type rankCommand struct {
	*exec.Cmd
	// tether is the standard input of a rank on another host, which no signal
	// reaches: it takes the end of it as an interrupt. So it ends too when this
	// process, ssh or the connection does.
	tether io.Closer
}

func (c *rankCommand) interrupt() {
	switch {
	case c.Process == nil:
	case c.tether != nil:
		_ = c.tether.Close()
	default:
		_ = c.Process.Signal(os.Interrupt)
	}
}

// exit is how one rank ended.
type exit struct {
	rank int
	err  error
}

// supervise starts commands, waits until all have ended and returns those that
// failed, in order.
func supervise(ctx context.Context, ranks []*rankCommand, started func(int, *os.Process)) []exit {
	exits := make(chan exit, len(ranks))
	var starting sync.WaitGroup
	for r, c := range ranks {
		starting.Add(1)
		go start(r, c.Cmd, exits, starting.Done)
	}
	starting.Wait()
	for r, c := range ranks {
		if c.Process != nil && started != nil {
			started(r, c.Process)
		}
		for _, f := range c.ExtraFiles {
			_ = f.Close()
		}
	}
	return reap(ctx, ranks, exits)
}

func reap(ctx context.Context, ranks []*rankCommand, exits <-chan exit) []exit {
	var failed []exit
	var kill <-chan time.Time
	done := ctx.Done()
	for left := len(ranks); left > 0; {
		select {
		case e := <-exits:
			left--
			if e.err != nil {
				failed = append(failed, e)
			}
		case <-done:
			done = nil
			for _, c := range ranks {
				c.interrupt()
			}
		case <-kill:
			for _, c := range ranks {
				if c.Process != nil {
					_ = c.Process.Kill()
				}
			}
		}
		if kill == nil && (len(failed) > 0 || done == nil) {
			kill = time.After(reaped)
		}
	}
	return failed
}

// verdict joins what the ranks said with the rank to blame: one that a signal
// ended, or else the first to fail.
func verdict(failed []exit, why string) error {
	if len(failed) == 0 {
		return nil
	}
	blame, signalled := failed[0], false
	for _, e := range failed {
		var x *exec.ExitError
		if errors.As(e.err, &x) && x.ExitCode() == -1 {
			blame, signalled = e, true
			break
		}
	}
	switch {
	case why == "":
		return fmt.Errorf("rank %d failed: %w", blame.rank, blame.err)
	case signalled:
		return fmt.Errorf("%s (rank %d: %w)", why, blame.rank, blame.err)
	}
	return errors.New(why)
}
