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

// lingering is how long a rank may take to end once another has ended well,
// which none does before all have said that they are done.
const lingering = 10 * time.Second

const (
	// told is how long after the first failure the ranks should know of it from
	// rank 0. Those that have not met yet learn it by an interrupt.
	told = 100 * time.Millisecond
	// reaped is how long ranks may outlive an interrupt before they are killed.
	reaped = 2 * time.Second
)

// reap waits for the ranks. It interrupts them when ctx ends, or some time
// after the first failure, and kills them later, or some time after the first
// good end.
func reap(ctx context.Context, ranks []*rankCommand, exits <-chan exit) []exit {
	var failed []exit
	var interrupt, kill, linger <-chan time.Time
	done := ctx.Done()
	for left := len(ranks); left > 0; {
		select {
		case e := <-exits:
			left--
			switch {
			case e.err == nil && linger == nil:
				linger = time.After(lingering)
			case e.err != nil:
				if failed = append(failed, e); len(failed) == 1 {
					interrupt = time.After(told)
				}
			}
		case <-done:
			done, interrupt = nil, time.After(0)
		case <-interrupt:
			interruptAll(ranks)
			kill = time.After(reaped)
		case <-kill:
			killAll(ranks)
		case <-linger:
			killAll(ranks)
		}
	}
	return failed
}

func interruptAll(ranks []*rankCommand) {
	for _, c := range ranks {
		c.interrupt()
	}
}

func killAll(ranks []*rankCommand) {
	for _, c := range ranks {
		if c.Process != nil {
			_ = c.Process.Kill()
		}
	}
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
