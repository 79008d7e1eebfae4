//go:build linux

package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func init() { Register("full", fullWork) }

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
		for deadline := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
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
