package launch

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"planner/verify/transport"
)

// Spec describes a job for Run to start.
type Spec struct {
	Work     string // registered name
	Args     any    // handed to every rank, as JSON
	Ranks    int
	Hosts    []string // rank r runs on Hosts[r·len/Ranks] over ssh; none: all on this machine
	Address  string   // host:port of rank 0 as the others reach it; needed with Hosts
	Kind     transport.Kind
	Shape    *transport.Shape
	Timeout  time.Duration // bound on every call; 0 is transport.DefaultTimeout
	Patience time.Duration // bound on the start; 0 is a minute
	ShmDir   string
	Env      []string // further variables of the ranks
	// Wrap, if set, returns what goes before a rank's command on this machine,
	// such as numactl with its arguments.
	Wrap     func(rank int) []string
	Out, Err io.Writer // standard output of rank 0, standard error of all
	// Started, if set, is told the process of each rank, for tests.
	Started func(rank int, p *os.Process)
}

// reaped is how long ranks may outlive the first that fails before they are
// killed: they have been told by then.
const reaped = 2 * time.Second

// Run starts the ranks and waits for them. When one fails or ctx ends, the
// others are told, and after a moment killed; when Run returns none is left.
func Run(ctx context.Context, s Spec) error {
	why := &reasons{to: s.Err}
	cmds, err := s.commands(why)
	if err != nil {
		return err
	}
	failed := supervise(ctx, cmds, s.Started)
	if ctx.Err() != nil {
		return interruption{ctx.Err(), why.first()}
	}
	return verdict(failed, why.first())
}

// interruption says what a job was doing when its context ended.
type interruption struct {
	error
	where string
}

func (i interruption) Error() string {
	if i.where == "" { // no rank had begun
		return "interrupted"
	}
	return i.where
}

func (i interruption) Unwrap() error { return i.error }

// commands prepares one command per rank.
func (s Spec) commands(why *reasons) ([]*exec.Cmd, error) {
	if s.Ranks < 1 {
		return nil, fmt.Errorf("ranks %d: too small: want at least 1", s.Ranks)
	}
	args, err := json.Marshal(s.Args)
	if err != nil {
		return nil, err
	}
	t, err := json.Marshal(task{args, s.Kind, s.Shape, s.Timeout, s.Patience, s.ShmDir})
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	secret := hex.EncodeToString(random(16)) + "\n"
	var listener *os.File
	if s.Address == "" {
		if len(s.Hosts) > 0 {
			return nil, errors.New("--hosts: no --address: want host:port of rank 0 as the other hosts reach it")
		}
		if listener, s.Address, err = openListener(); err != nil {
			return nil, err
		}
	}
	cmds := make([]*exec.Cmd, s.Ranks)
	for r := range cmds {
		env := append([]string{envWork + "=" + s.Work, envTask + "=" + string(t), envSecret + "=1",
			"PLANNER_RANK=" + strconv.Itoa(r), "PLANNER_SIZE=" + strconv.Itoa(s.Ranks),
			"PLANNER_LOCAL_RANK=" + strconv.Itoa(s.localRank(r)), "PLANNER_ADDRESS=" + s.Address}, s.Env...)
		cmds[r] = s.command(exe, r, env)
		if r == 0 && listener != nil {
			cmds[r].ExtraFiles = []*os.File{listener}
			cmds[r].Env = append(cmds[r].Env, envListen+"=3")
		}
		cmds[r].Stdin, cmds[r].Stderr = strings.NewReader(secret), &rankLog{reasons: why}
		if r == 0 {
			cmds[r].Stdout = s.Out
		}
	}
	return cmds, nil
}

// host returns where a rank runs; empty for this machine.
func (s Spec) host(rank int) string {
	if len(s.Hosts) == 0 {
		return ""
	}
	return s.Hosts[rank*len(s.Hosts)/s.Ranks]
}

func (s Spec) localRank(rank int) int {
	n := 0
	for r := range rank {
		if s.host(r) == s.host(rank) {
			n++
		}
	}
	return n
}

// command returns the command of one rank: this program again, here or there.
func (s Spec) command(exe string, rank int, env []string) *exec.Cmd {
	host := s.host(rank)
	if host == "" || host == "localhost" {
		words := []string{exe}
		if s.Wrap != nil {
			words = append(s.Wrap(rank), exe)
		}
		c := exec.Command(words[0], words[1:]...)
		c.Env = append(os.Environ(), env...)
		return c
	}
	words := []string{"env"}
	for _, e := range env {
		words = append(words, quote(e))
	}
	return exec.Command("ssh", "-o", "BatchMode=yes", host, strings.Join(append(words, quote(exe)), " "))
}

// quote protects a word from the remote shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func openListener() (*os.File, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	return f, l.Addr().String(), err
}

// exit is how one rank ended.
type exit struct {
	rank int
	err  error
}

// supervise starts commands, waits until all have ended and returns those that
// failed, in order.
func supervise(ctx context.Context, cmds []*exec.Cmd, started func(int, *os.Process)) []exit {
	exits := make(chan exit, len(cmds))
	var starting sync.WaitGroup
	for r, c := range cmds {
		starting.Add(1)
		go start(r, c, exits, starting.Done)
	}
	starting.Wait()
	for r, c := range cmds {
		if c.Process != nil && started != nil {
			started(r, c.Process)
		}
		for _, f := range c.ExtraFiles {
			_ = f.Close()
		}
	}
	return reap(ctx, cmds, exits)
}

func reap(ctx context.Context, cmds []*exec.Cmd, exits <-chan exit) []exit {
	var failed []exit
	var kill <-chan time.Time
	done := ctx.Done()
	for left := len(cmds); left > 0; {
		select {
		case e := <-exits:
			left--
			if e.err != nil {
				failed = append(failed, e)
			}
		case <-done:
			done = nil
			for _, c := range cmds {
				if c.Process != nil {
					_ = c.Process.Signal(os.Interrupt)
				}
			}
		case <-kill:
			for _, c := range cmds {
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
