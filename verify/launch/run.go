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

// Run starts the ranks and waits for them. When one fails or ctx ends, the
// others are told, and after a moment killed; when Run returns none is left.
func Run(ctx context.Context, s Spec) error {
	why := &reasons{to: s.Err}
	ranks, err := s.commands(why)
	if err != nil {
		return err
	}
	failed := supervise(ctx, ranks, s.Started)
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
func (s Spec) commands(why *reasons) ([]*rankCommand, error) {
	if s.Ranks < 1 {
		return nil, fmt.Errorf("ranks %d: too small: want at least 1", s.Ranks)
	}
	common, err := s.environment()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var listener *os.File
	if s.Address == "" {
		if len(s.Hosts) > 0 {
			return nil, errors.New("--hosts: no --address: want host:port of rank 0 as the other hosts reach it")
		}
		if listener, s.Address, err = openListener(); err != nil {
			return nil, err
		}
	}
	secret := hex.EncodeToString(random(16)) + "\n"
	ranks := make([]*rankCommand, s.Ranks)
	for r := range ranks {
		env := append([]string{"PLANNER_RANK=" + strconv.Itoa(r), "PLANNER_SIZE=" + strconv.Itoa(s.Ranks),
			"PLANNER_LOCAL_RANK=" + strconv.Itoa(s.localRank(r)), "PLANNER_ADDRESS=" + s.Address}, common...)
		if ranks[r], err = s.command(exe, r, env, secret); err != nil {
			return nil, err
		}
		ranks[r].Stderr = &rankLog{reasons: why}
	}
	ranks[0].Stdout = s.Out
	if listener != nil {
		ranks[0].ExtraFiles = []*os.File{listener}
		ranks[0].Env = append(ranks[0].Env, envListen+"=3")
	}
	return ranks, nil
}

// environment returns what is alike for all ranks.
func (s Spec) environment() ([]string, error) {
	args, err := json.Marshal(s.Args)
	if err != nil {
		return nil, err
	}
	t, err := json.Marshal(task{args, s.Kind, s.Shape, s.Timeout, s.Patience, s.ShmDir})
	return append([]string{envWork + "=" + s.Work, envTask + "=" + string(t)}, s.Env...), err
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
func (s Spec) command(exe string, rank int, env []string, secret string) (*rankCommand, error) {
	host := s.host(rank)
	if host == "" || host == "localhost" {
		words := []string{exe}
		if s.Wrap != nil {
			words = append(s.Wrap(rank), exe)
		}
		c := exec.Command(words[0], words[1:]...)
		c.Env = append(append(os.Environ(), env...), envSecret+"=1")
		c.Stdin = strings.NewReader(secret)
		return &rankCommand{Cmd: c}, nil
	}
	words := []string{"env"}
	for _, e := range append(env, envSecret+"="+tethered) {
		words = append(words, quote(e))
	}
	c := exec.Command("ssh", "-o", "BatchMode=yes", host, strings.Join(append(words, quote(exe)), " "))
	tether, err := c.StdinPipe()
	if err == nil {
		_, err = io.WriteString(tether, secret) // a pipe holds more
	}
	return &rankCommand{c, tether}, err
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
