package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"planner/verify/transport"
)

// Work is what one rank does. args are the launching command's.
type Work func(ctx context.Context, j *Job, args []byte) error

var works = map[string]Work{}

// Register names work that Run can start in other processes. It is for
// package initialisation.
func Register(name string, w Work) { works[name] = w }

// Environment variables by which Run tells a process that it is a rank.
const (
	envWork   = "PLANNER_WORKER"
	envTask   = "PLANNER_TASK"
	envListen = "PLANNER_LISTEN_FD"
	envSecret = "PLANNER_SECRET_STDIN"
)

// tethered is the value of envSecret by which a rank knows that the end of its
// standard input is to end it.
const tethered = "tethered"

// task is what Run tells every rank.
type task struct {
	Args     json.RawMessage
	Kind     transport.Kind
	Shape    *transport.Shape
	Timeout  time.Duration
	Patience time.Duration
	ShmDir   string
}

// MaybeWorker runs a rank and exits if Run started this process; otherwise it
// returns at once. It is to be the first call of main.
func MaybeWorker() {
	name := os.Getenv(envWork)
	if name == "" {
		return
	}
	ctx, stop := UntilSignalled(context.Background())
	err := work(ctx, name)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s%s\n", said, strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	os.Exit(0)
}

func work(ctx context.Context, name string) error {
	w, ok := works[name]
	if !ok {
		return fmt.Errorf("%s=%q: unknown: want a worker of this program", envWork, name)
	}
	var t task
	if err := json.Unmarshal([]byte(os.Getenv(envTask)), &t); err != nil {
		return fmt.Errorf("%s: %w", envTask, err)
	}
	place, ok, err := FromEnv(os.Getenv)
	if err != nil || !ok {
		return errors.Join(err, errors.New("a rank without a place"))
	}
	c := Config{Kind: t.Kind, ShmDir: t.ShmDir, Patience: t.Patience,
		Options: transport.Options{Timeout: t.Timeout, Shape: t.Shape}}
	if os.Getenv(envSecret) != "" {
		if c.Secret, err = readSecret(os.Stdin); err != nil {
			return err
		}
	}
	if os.Getenv(envSecret) == tethered {
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	if os.Getenv(envListen) != "" {
		if c.Listener, err = inherited(); err != nil {
			return err
		}
	}
	return Member(ctx, place, c, w, t.Args)
}

// Member joins a job, does the work of one rank and leaves. The end of ctx
// fails the job on all ranks.
func Member(ctx context.Context, p Place, c Config, w Work, args []byte) error {
	j, err := Join(ctx, p, c)
	if errors.Is(err, context.Canceled) {
		return interruption{err, fmt.Sprintf("rank %d: interrupted while the ranks met", p.Rank)}
	}
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		_ = j.World.Abort().Suspect(&transport.Failure{Rank: p.Rank, Peer: -1, Cause: "interrupted"})
	})()
	err = w(ctx, j, args)
	if err != nil && j.World.Abort().Err() == nil { // what the transport has not noticed
		_ = j.World.Abort().Fail(failureOf(p.Rank, err))
	}
	if e := j.Close(); err == nil {
		err = e
	}
	return err
}

func failureOf(rank int, err error) *transport.Failure {
	var f *transport.Failure
	if errors.As(err, &f) {
		return f
	}
	return &transport.Failure{Rank: rank, Peer: -1, Cause: err.Error()}
}

// readSecret reads the first line, which no other process can see.
func readSecret(r io.Reader) (string, error) {
	var b [256]byte
	n := 0
	for n < len(b) {
		k, err := r.Read(b[n:])
		n += k
		if line, _, ok := strings.Cut(string(b[:n]), "\n"); ok {
			return line, nil
		}
		if err != nil {
			return "", fmt.Errorf("secret on standard input: %w", err)
		}
	}
	return "", errors.New("secret on standard input: too long")
}

// inherited returns the listener that the launcher opened.
func inherited() (net.Listener, error) {
	f := os.NewFile(3, "listener") // the first of exec.Cmd.ExtraFiles
	defer f.Close()
	return net.FileListener(f)
}
