//go:build linux

package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func init() {
	Register("phase", phaseWork)
	Register("full", fullWork)
}

// victim is the rank that is broken.
const victim = 1

// phaseWork goes through the phases of a job. In the one that it is told the
// victim stays until it is killed.
func phaseWork(_ context.Context, j *Job, args []byte) error {
	var o orders
	if err := json.Unmarshal(args, &o); err != nil {
		return err
	}
	stay := func(phase string) {
		if phase == o.Mode && j.Rank == victim {
			_ = os.WriteFile(filepath.Join(o.Dir, "ready"), nil, 0o600)
			time.Sleep(time.Hour)
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
	const timeout = 400 * time.Millisecond
	for _, kind := range []transport.Kind{transport.Shm, transport.TCP} {
		for _, phase := range []string{"meeting", "opening", "first call", "between calls", "closing", "leaving"} {
			for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
				t.Run(fmt.Sprintf("%v/%s/%v", kind, phase, sig), func(t *testing.T) {
					t.Parallel()
					took, err := breakIn(t, kind, phase, sig, timeout)
					want := []string{"rank 1"}
					switch {
					case sig == syscall.SIGKILL:
						want = append(want, "signal: killed")
					case phase == "meeting":
						want = []string{"ranks [1]: did not come"}
					default:
						want = append(want, "is stopped")
					}
					for _, w := range want {
						if err == nil || !strings.Contains(err.Error(), w) {
							t.Errorf("got %v, want %q", err, w)
						}
					}
					// The farewell is the longest wait; then a stopped rank is killed.
					limit := leastFarewell + told + reaped
					if sig == syscall.SIGKILL { // all are told at once
						limit = told
					}
					limit += 3 * time.Second // other programs use the cores too
					if took > limit {
						t.Errorf("took %v, want at most %v", took, limit)
					}
					t.Logf("after %v: %v", took.Round(time.Millisecond), err)
				})
			}
		}
	}
}

// breakIn sends a signal to the victim in a phase, and returns how the job
// ended and how long that took from there.
func breakIn(t *testing.T, kind transport.Kind, phase string, sig syscall.Signal, timeout time.Duration) (took time.Duration, err error) {
	t.Helper()
	dir := t.TempDir()
	procs := make([]*os.Process, 3)
	meeting := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), Spec{Work: "phase", Args: orders{Mode: phase, Dir: dir}, Ranks: len(procs), Kind: kind,
			Timeout: timeout, Patience: time.Second, Started: func(r int, p *os.Process) {
				if procs[r] = p; r == victim && phase == "meeting" {
					_ = p.Signal(sig)
				}
				if r == len(procs)-1 {
					close(meeting)
				}
			}})
	}()
	<-meeting
	if phase != "meeting" {
		awaitFile(t, filepath.Join(dir, "ready"))
		_ = procs[victim].Signal(sig)
	}
	begin := time.Now()
	err = <-ended
	for r, p := range procs {
		if e := p.Signal(syscall.Signal(0)); !errors.Is(e, os.ErrProcessDone) {
			t.Errorf("rank %d is left: %v", r, e)
		}
	}
	return time.Since(begin), err
}

// fullWork takes more shared memory than there is.
func fullWork(_ context.Context, j *Job, _ []byte) error {
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	for i := range 100 {
		b, err := c.Alloc(1 << 20)
		if err != nil {
			return err
		}
		if err := c.AllReduce(b, b, 1<<18, reduce.F32, reduce.Sum); err != nil {
			return err
		}
		b[i] = 1
	}
	return errors.New("100 MiB fit")
}

// TestFullSharedMemory runs a job whose shared memory lies on a file system of
// 8 MiB.
func TestFullSharedMemory(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("needs root: %v", err)
	}
	defer func() { _ = unix.Unmount(dir, 0) }()
	err := Run(t.Context(), Spec{Work: "full", Args: struct{}{}, Ranks: 3, Kind: transport.Shm, ShmDir: dir})
	if err == nil || !strings.Contains(err.Error(), "shared memory: no room for 1048576 bytes") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	if n := entries(t, dir); n != 0 {
		t.Errorf("%d files are left in %s", n, dir)
	}
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestRanksDieWithTheirLauncher kills the launcher, which can tell nobody.
func TestRanksDieWithTheirLauncher(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(self)
	c.Env = append(os.Environ(), envForsaken+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var pids [2]int
	in := bufio.NewReader(out)
	for i := range pids {
		if _, err := fmt.Fscanln(in, &pids[i]); err != nil {
			t.Fatal(err)
		}
	}
	awaitFile(t, filepath.Join(dir, "ready0"))
	_ = c.Process.Kill()
	_, _ = io.Copy(io.Discard, in)
	_ = c.Wait()
	for _, pid := range pids {
		for deadline := time.Now().Add(2 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
}

// alive reports whether a process runs; one that only waits to be reaped by
// its new parent does not.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(b), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}
