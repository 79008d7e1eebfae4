//go:build linux

package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func init() {
	Register("phase", phaseWork)
}

// victim is the rank that is broken.
const victim = 1

// The files by which the victim says that it is in its phase, and the test that
// it has broken it.
const readyFile, brokenFile = "ready", "broken"

// phaseWork goes through the phases of a job. In the one that it is told the
// victim stays until it is killed, and the others wait until it is broken: what
// they wait for it counts from there.
func phaseWork(_ context.Context, j *Job, args []byte) error {
	var o orders
	if err := json.Unmarshal(args, &o); err != nil {
		return err
	}
	stay := func(phase string) {
		switch {
		case phase != o.Mode:
		case j.Rank == victim:
			_ = os.WriteFile(filepath.Join(o.Dir, readyFile), nil, 0o600)
			time.Sleep(time.Hour)
		default:
			for !exists(filepath.Join(o.Dir, brokenFile)) {
				time.Sleep(time.Millisecond)
			}
		}
	}
	stay("opening")
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	b, err := c.Alloc(1 << 10)
	if err != nil {
		return err
	}
	stay("first call")
	for range 10 {
		if err := c.AllReduce(b, b, 256, reduce.F32, reduce.Max); err != nil {
			return err
		}
	}
	stay("between calls")
	if err := c.Barrier(); err != nil {
		return err
	}
	stay("closing")
	err = c.Close()
	stay("leaving")
	return err
}

// TestFaultsInEachPhase kills and stops a rank in each phase of a job. The
// others end, with a message that says why, and nobody is left.
func TestFaultsInEachPhase(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Shm, transport.TCP} {
		for _, phase := range []string{meeting, "opening", "first call", "between calls", "closing", "leaving"} {
			for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
				t.Run(fmt.Sprintf("%v/%s/%v", kind, phase, sig), func(t *testing.T) {
					t.Parallel()
					b := breakage{kind: kind, phase: phase, signal: sig}
					took, err := b.run(t)
					for _, w := range b.wanted() {
						if err == nil || !strings.Contains(err.Error(), w) {
							t.Errorf("got %v, want %q", err, w)
						}
					}
					if limit := b.limit(); took > limit {
						t.Errorf("took %v, want at most %v", took, limit)
					}
					t.Logf("after %v: %v", took.Round(time.Millisecond), err)
				})
			}
		}
	}
}

// breakage is a signal to the victim in a phase of a job.
type breakage struct {
	kind    transport.Kind
	phase   string
	signal  syscall.Signal
	timeout time.Duration // of a job whose victim came to its phase
}

// wanted is what the error says.
func (b *breakage) wanted() []string {
	switch {
	case b.signal == syscall.SIGKILL:
		return []string{"rank 1", "signal: killed"}
	case b.phase == meeting:
		return []string{"ranks [1]: did not come"}
	}
	return []string{"rank 1", "is stopped"}
}

// limit is how long the job may go on: a farewell is the longest wait, then a
// stopped rank is killed. Of one that is killed all are told at once. Other
// programs use the cores too.
func (b *breakage) limit() time.Duration {
	const busy = 3 * time.Second
	if b.signal == syscall.SIGKILL {
		return told + busy
	}
	return max(b.timeout, leastFarewell) + told + reaped + busy
}

// meeting is the phase before there is a job: its victim is broken as it starts.
const meeting = "meeting"

// leastTimeout bounds the calls of ranks that wait for a stopped one at first.
const leastTimeout = 400 * time.Millisecond

// run returns how the job ended and how long that took from the signal. A bound
// short enough to wait out may end a job on a busy machine before its victim is
// there: it is doubled then. Where ranks are told, it need not be short.
func (b *breakage) run(t *testing.T) (took time.Duration, err error) {
	t.Helper()
	b.timeout = leastTimeout
	if b.signal == syscall.SIGKILL {
		b.timeout = transport.DefaultTimeout
	}
	for ; b.timeout <= transport.DefaultTimeout; b.timeout *= 2 {
		var broken bool
		if took, broken, err = b.once(t); broken {
			return took, err
		}
	}
	t.Fatalf("%s: %v", b.phase, err)
	return 0, nil
}

// once runs one job. broken is false if it ended before the victim was there.
func (b *breakage) once(t *testing.T) (took time.Duration, broken bool, err error) {
	t.Helper()
	dir := t.TempDir()
	procs := make([]*os.Process, 3)
	started := make(chan struct{})
	ended := make(chan error, 1)
	spec := Spec{Work: "phase", Args: orders{Mode: b.phase, Dir: dir}, Ranks: len(procs), Kind: b.kind, Timeout: b.timeout,
		Started: func(r int, p *os.Process) {
			if procs[r] = p; r == victim && b.phase == meeting {
				_ = p.Signal(b.signal)
			}
			if r == len(procs)-1 {
				close(started)
			}
		}}
	if b.phase == meeting && b.signal == syscall.SIGSTOP { // is waited out
		spec.Patience = 2 * time.Second
	}
	go func() { ended <- Run(t.Context(), spec) }()
	<-started
	if b.phase != meeting {
		if err := awaitFileOf(ended, filepath.Join(dir, readyFile)); err != nil {
			return 0, false, err
		}
		_ = procs[victim].Signal(b.signal)
	}
	begin := time.Now()
	_ = os.WriteFile(filepath.Join(dir, brokenFile), nil, 0o600)
	err = <-ended
	for r, p := range procs {
		if e := p.Signal(syscall.Signal(0)); !errors.Is(e, os.ErrProcessDone) {
			t.Errorf("rank %d is left: %v", r, e)
		}
	}
	return time.Since(begin), true, err
}
