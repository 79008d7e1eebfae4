//go:build unix

package launch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"planner/verify/launch"
	"planner/verify/transport"
)

// soakFault is one way to break a job.
type soakFault struct {
	name  string
	do    func(p *os.Process, cancel func())
	wait  time.Duration // until the survivors may know
	all   bool          // the victim reports too
	early bool          // works on a rank that has not begun its calls, too
}

const soakTimeout = 150 * time.Millisecond

func sending(s syscall.Signal) func(*os.Process, func()) {
	return func(p *os.Process, _ func()) { _ = p.Signal(s) }
}

var soakFaults = []soakFault{
	{"none", func(*os.Process, func()) {}, 0, true, false},
	{"kill", sending(syscall.SIGKILL), 0, false, true},
	{"stop", sending(syscall.SIGSTOP), soakTimeout, false, true},
	{"terminate", sending(syscall.SIGTERM), 0, true, true},
	{"cut its connections", sending(syscall.SIGUSR1), 0, true, false},
	{"another call", sending(syscall.SIGUSR2), 0, true, false},
	{"Ctrl-C", func(_ *os.Process, cancel func()) { cancel() }, 0, true, true},
}

// soak is the account of a soak.
type soak struct {
	jobs, calls, elems int
	early              int             // faults while the job began
	delays             []time.Duration // from when survivors could know to their last report
	by                 map[string]int
}

// TestSoak runs jobs of random collectives, every element compared, and breaks
// them at random moments in random ways, for the time that PLANNER_SOAK says
// (3 s without it). Nothing may be wrong, and nothing stay behind.
func TestSoak(t *testing.T) {
	length := 3 * time.Second
	if s := os.Getenv("PLANNER_SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	s := soak{by: map[string]int{}}
	files, fds := entries(t, "/dev/shm"), -1
	for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); s.jobs++ {
		s.job(t, soakFaults[s.jobs%len(soakFaults)])
		if n := entries(t, "/proc/self/fd"); fds < 0 {
			fds = n
		} else if n > fds+2 {
			t.Fatalf("after %d jobs: %d open files, %d after the first", s.jobs+1, n, fds)
		}
	}
	if n := entries(t, "/dev/shm"); n > files {
		t.Errorf("%d files in /dev/shm, %d before", n, files)
	}
	slices.Sort(s.delays)
	if n := len(s.delays); n > 0 {
		late, _ := slices.BinarySearch(s.delays, 100*time.Millisecond)
		t.Logf("last survivor knew after %v (median), %v (p99), %v (max); %d of %d within 100ms",
			s.delays[n/2], s.delays[n*99/100], s.delays[n-1], late, n)
	}
	t.Logf("%d jobs %v, %d broken while they began; %d calls of ranks, %d elements compared, none wrong, nothing left",
		s.jobs, s.by, s.early, s.calls, s.elems)
}

// job runs one job and breaks it.
func (s *soak) job(t *testing.T, f soakFault) {
	kinds := []transport.Kind{transport.Shm, transport.TCP, transport.Unix, transport.Mixed}
	kind, n := kinds[rand.IntN(len(kinds))], 2+rand.IntN(3)
	what := fmt.Sprintf("job %d, %d ranks, %v, %s", s.jobs, n, kind, f.name)
	spec := launch.Spec{Work: "soak", Ranks: n, Kind: kind, Timeout: soakTimeout, Patience: 2 * time.Second}
	if kind == transport.Mixed && n%2 == 0 {
		spec.Shape = &transport.Shape{Nodes: 2, PerNode: n / 2}
	}
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: took %v", what, took)
		}
	}()
	orders := soakOrders{Seed: rand.Uint64(), Calls: 1 << 30}
	if f.name == "none" {
		orders.Calls, spec.Timeout = 100+rand.IntN(200), 0
	}
	spec.Args = orders
	if f.early && rand.IntN(3) == 0 {
		s.early++
		short := rand.IntN(2) == 0 // so that the fault may meet the end, too
		if short {
			orders.Calls = rand.IntN(20)
			spec.Args = orders
		}
		_, _, err := runSoak(t, spec, f, rand.IntN(n), time.Duration(rand.IntN(60))*time.Millisecond, true)
		if err == nil && !short {
			t.Errorf("%s, as it began: no error", what)
		}
		return
	}
	l, reached, err := runSoak(t, spec, f, rand.IntN(n), time.Duration(rand.IntN(3000))*time.Microsecond, false)
	if !reached {
		f.name = "by itself"
	}
	s.judge(t, what, f, err, l)
	s.by[f.name]++
}

// judge checks what a job's ranks reported.
func (s *soak) judge(t *testing.T, what string, f soakFault, err error, l *soakLog) {
	if (err == nil) != (f.name == "none") {
		t.Errorf("%s: ended with %v", what, err)
	}
	last := time.Duration(0)
	for _, r := range l.ended {
		s.calls, s.elems = s.calls+r.Calls, s.elems+r.Elems
		if r.Wrong > 0 {
			t.Errorf("%s: rank %d: %d wrong elements", what, r.Rank, r.Wrong)
		}
		if r.Err != "" && !strings.Contains(r.Err, " #") && !strings.Contains(r.Err, "ing a group: ") {
			t.Errorf("%s: rank %d: %q names no call", what, r.Rank, r.Err)
		}
		if strings.Contains(r.Err, "closed the connection") { // of a rank that said why, or is gone
			t.Errorf("%s: rank %d: %q names no cause", what, r.Rank, r.Err)
		}
		last = max(last, time.Unix(0, r.At).Sub(l.broken))
	}
	if f.name != "none" && f.name != "by itself" {
		s.delays = append(s.delays, max(0, last-f.wait))
		if last > f.wait+100*time.Millisecond {
			t.Logf("%s: last survivor reported after %v: %+v", what, last, l.ended)
		}
		if last > f.wait+10*time.Second { // other programs use the cores too
			t.Errorf("%s: last survivor reported after %v", what, last)
		}
	}
}

// soakLog reads the ranks' reports.
type soakLog struct {
	broken time.Time
	mu     sync.Mutex
	ended  []soakReport
	// ready and done get a token each rank that is in the middle of its calls,
	// and that has ended.
	ready, done chan int
}

func (l *soakLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(b) {
		var r soakReport
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.Ready {
			l.ready <- r.Rank
			continue
		}
		l.ended = append(l.ended, r)
		l.done <- r.Rank
	}
	return len(b), nil
}

// gather waits for the tokens of n ranks other than one; false if the job ends
// before.
func gather(tokens <-chan int, n, except int, over <-chan struct{}) bool {
	for n > 0 {
		select {
		case r := <-tokens:
			if r != except {
				n--
			}
		case <-over:
			return len(tokens) >= n // what came before the end
		}
	}
	return true
}

// runSoak runs a job and breaks it once all ranks are ready, or early, a while
// after they started. reached is false if it ended before it was broken: on a
// busy machine a call may meet its deadline by itself.
func runSoak(t *testing.T, spec launch.Spec, f soakFault, victim int, after time.Duration, early bool) (l *soakLog, reached bool, err error) {
	t.Helper()
	l = &soakLog{ready: make(chan int, spec.Ranks), done: make(chan int, spec.Ranks)}
	procs, started := make([]*os.Process, spec.Ranks), make(chan int, spec.Ranks)
	spec.Err, spec.Started = l, func(r int, p *os.Process) { procs[r] = p; started <- r }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	go func() { defer close(over); err = launch.Run(ctx, spec) }()
	gather(started, spec.Ranks, -1, over)
	reached = early || gather(l.ready, spec.Ranks, -1, over)
	if reached {
		time.Sleep(after) // the moment of the fault
		l.broken = time.Now()
		f.do(procs[victim], cancel)
	}
	switch {
	case early && f.name == "stop":
		time.Sleep(spec.Patience / 4)
	case !early && f.all:
		gather(l.done, spec.Ranks, -1, over)
	case !early:
		gather(l.done, spec.Ranks-1, victim, over)
	}
	if f.name == "stop" {
		_ = procs[victim].Kill()
	}
	<-over
	for r, p := range procs {
		if !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			t.Errorf("rank %d is left", r)
		}
	}
	return l, reached, err
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Skipf("%s: %v", dir, err)
	}
	return len(list)
}
