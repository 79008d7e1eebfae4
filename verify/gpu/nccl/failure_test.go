package nccl

import (
	"errors"
	"strings"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

func oneLine(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v: want one line with %q", err, want)
	}
}

func TestAbsentOrOld(t *testing.T) {
	_, err := Open(NCCL, "libnccl.so.none")
	oneLine(t, err, "want NCCL 2.18 or newer")
	_, err = Open(RCCL, "librccl.so.none")
	oneLine(t, err, "want RCCL, as ROCm brings it")
	_, l, set := fake(t, 1)
	if l.VersionText() != "2.23.4" || l.SharesGPU() {
		t.Errorf("version %s, shares %v: want 2.23.4, false", l.VersionText(), l.SharesGPU())
	}
	set(21605, -1, 0)
	_, err = Open(NCCL, l.Path)
	oneLine(t, err, "version 2.16.5: too old: want 2.18 or newer")
	set(2708, -1, 0)
	_, err = Open(NCCL, l.Path)
	oneLine(t, err, "version 2.7.8: too old")
	_, err = Open(NCCL, fakes.Build(t, "ptx/c/kernels.c"))
	oneLine(t, err, "no function ncclGetVersion")
	set(22304, -1, 0)
}

// TestMissingRank: a rank that does not come, or does not make the call, ends
// the others' wait in an error and an abort.
func TestMissingRank(t *testing.T) {
	d, l, _ := fake(t, 2)
	id, err := l.NewID()
	if err != nil {
		t.Fatal(err)
	}
	g, err := cuda.NewGroup(d, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Init(id, 2, 0, g.Seat(0), 10*time.Millisecond)
	oneLine(t, err, "rank 0 of 2: ncclCommInitRankConfig: not done after 10ms: a rank is gone")

	err = job(d, l, 2, time.Minute, func(c *Comm, s *cuda.Seat) error {
		if c.Rank == 1 {
			return nil
		}
		c.Timeout = 10 * time.Millisecond
		p, err := s.Alloc(64)
		if err != nil {
			return err
		}
		if err := c.Do(Call{Op: collective.AllReduce, Type: reduce.F32, Count: 16, In: p, Out: p}); err != nil {
			return err
		}
		err = c.Wait()
		if again := c.Wait(); !errors.Is(again, err) {
			t.Errorf("after the abort: %v: want the same error", again)
		}
		if idle, _ := s.Idle(); !idle {
			t.Error("the aborted call still holds the stream")
		}
		return err
	})
	oneLine(t, err, "rank 0 of 2: all_reduce of 16 f32: not done after 10ms")
}

// TestAsyncError: what the library reports between calls ends the wait.
func TestAsyncError(t *testing.T) {
	d, l, set := fake(t, 2)
	const remote = 6
	err := job(d, l, 2, time.Minute, func(c *Comm, s *cuda.Seat) error {
		if c.Rank == 1 {
			return nil
		}
		p, err := s.Alloc(64)
		if err != nil {
			return err
		}
		set(22304, 0, remote)
		return c.Do(Call{Op: collective.AllReduce, Type: reduce.F32, Count: 16, In: p, Out: p})
	})
	set(22304, -1, 0)
	oneLine(t, err, "remote process exited or there was a network error (6): fake last error")
}

func TestCallsThatCannotBe(t *testing.T) {
	d, l, _ := fake(t, 1)
	err := job(d, l, 1, time.Minute, func(c *Comm, _ *cuda.Seat) error {
		return c.Do(Call{Op: collective.Broadcast, Root: 1})
	})
	oneLine(t, err, "root 1, peer 0, count 0: out of range: want ranks 0 to 0")
}

// TestRealLibrary binds every function of the vendor's library where there is
// one, and asks for its version and an id.
func TestRealLibrary(t *testing.T) {
	for _, k := range []Kind{NCCL, RCCL} {
		if _, err := dl.Open("", files[k]...); err != nil {
			t.Logf("no %v: %v", k, err)
			continue
		}
		l, err := Open(k)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%v %s, several ranks on a GPU: %v", k, l.VersionText(), l.SharesGPU())
		if id, err := l.NewID(); err != nil {
			t.Logf("no id: %v", err)
		} else if id == (ID{}) {
			t.Error("an empty id")
		}
	}
}
