//go:build unix

package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

func TestMain(m *testing.M) {
	Register("test", testWork)
	MaybeWorker()
	maybeForsaken()
	goleak.VerifyTestMain(m)
}

// envForsaken makes this program a launcher that is to be killed.
const envForsaken = "PLANNER_TEST_FORSAKEN"

// maybeForsaken runs ranks that work for ever, and says who they are.
func maybeForsaken() {
	dir := os.Getenv(envForsaken)
	if dir == "" {
		return
	}
	_ = Run(context.Background(), Spec{Work: "test", Args: orders{Mode: "run", Dir: dir}, Ranks: 2, Kind: transport.Shm,
		Env: []string{envForsaken + "="}, Started: func(_ int, p *os.Process) { fmt.Println(p.Pid) }})
	os.Exit(1)
}

// orders are what a test wants the ranks to do.
type orders struct {
	Mode string
	Dir  string // where ranks report
}

// testWork does collectives for ever, or what the mode says.
func testWork(_ context.Context, j *Job, args []byte) error {
	var o orders
	if err := json.Unmarshal(args, &o); err != nil {
		return err
	}
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	err = collectives(j, c, o)
	if err != nil {
		report(o, j.Rank, err)
		return err
	}
	return c.Close()
}

func report(o orders, rank int, err error) {
	text := fmt.Sprintf("%d %v", time.Now().UnixNano(), err)
	tmp := filepath.Join(o.Dir, fmt.Sprintf("tmp%d", rank))
	_ = os.WriteFile(tmp, []byte(text), 0o600)
	_ = os.Rename(tmp, filepath.Join(o.Dir, fmt.Sprintf("rank%d", rank)))
}

func collectives(j *Job, c *engine.Comm, o orders) error {
	buf, err := c.Alloc(1 << 20)
	if err != nil {
		return err
	}
	for i := 0; o.Mode != "few" || i < 20; i++ {
		if i == 10 {
			_ = os.WriteFile(filepath.Join(o.Dir, fmt.Sprintf("ready%d", j.Rank)), nil, 0o600)
		}
		count := 1 << (8 + i%11)
		if o.Mode == "disagree" && i == 15 && j.Rank == 1 {
			count /= 2
		}
		if o.Mode == "idle" && i == 15 && j.Rank != 0 {
			// Only rank 0 goes on: the others sit in a barrier that never ends.
			if err := c.Barrier(); err != nil {
				return err
			}
		}
		if err := c.AllReduce(buf, buf, count, reduce.F32, reduce.Max); err != nil {
			return err
		}
	}
	return nil
}

func TestRunAllKinds(t *testing.T) {
	for _, kind := range []transport.Kind{transport.Shm, transport.TCP, transport.Unix, transport.Mixed} {
		t.Run(kind.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			err := Run(t.Context(), Spec{Work: "test", Args: orders{Mode: "few", Dir: t.TempDir()}, Ranks: 3, Kind: kind, Err: &stderr})
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
		})
	}
}

// fault starts a job, lets do break it once all ranks work, and returns the
// ranks' reports and how long after the fault the last survivor reported.
func fault(t *testing.T, kind transport.Kind, mode string, timeout time.Duration, survivors []int, do func(p []*os.Process)) (reports []string, last time.Duration) {
	t.Helper()
	dir := t.TempDir()
	procs := make([]*os.Process, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	var started sync.WaitGroup
	started.Add(len(procs))
	go func() {
		ended <- Run(ctx, Spec{Work: "test", Args: orders{Mode: mode, Dir: dir}, Ranks: 3, Kind: kind, Timeout: timeout,
			Started: func(r int, p *os.Process) { procs[r] = p; started.Done() }})
	}()
	started.Wait()
	for r := range 3 {
		if err := awaitFileOf(ended, filepath.Join(dir, fmt.Sprintf("ready%d", r))); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	do(procs)
	for _, r := range survivors {
		text := awaitFile(t, filepath.Join(dir, fmt.Sprintf("rank%d", r)))
		var ns int64
		_, _ = fmt.Sscan(text, &ns)
		last = max(last, time.Unix(0, ns).Sub(begun))
		_, text, _ = strings.Cut(text, " ")
		reports = append(reports, text)
	}
	for _, p := range procs { // SIGKILL ends a stopped process too
		_ = p.Kill()
	}
	if err := <-ended; err == nil {
		t.Error("Run returned no error")
	}
	for _, p := range procs {
		if err := p.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("process %d is left: %v", p.Pid, err)
		}
	}
	return reports, last
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// awaitFileOf returns when a rank of a job has made a file, or why the job ended
// before. ended has room for its one error, which stays there if the file came.
func awaitFileOf(ended chan error, name string) error {
	for !exists(name) {
		select {
		case err := <-ended:
			if exists(name) {
				ended <- err
				return nil
			}
			return fmt.Errorf("the job ended before %s was there: %w", filepath.Base(name), err)
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

func awaitFile(t *testing.T, name string) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if b, err := os.ReadFile(name); err == nil {
			return string(b)
		}
	}
	t.Fatalf("%s did not appear", name)
	return ""
}

func TestFaults(t *testing.T) {
	// A stopped rank shows by the deadline alone, the others long before it. How
	// soon, TestSoak says: here the machine may be busy with other work.
	const deadline, long, busy = time.Second, transport.DefaultTimeout, 10 * time.Second
	tests := []struct {
		name      string
		mode      string
		survivors []int
		do        func(p []*os.Process)
		want      string
		timeout   time.Duration
		within    time.Duration
	}{
		{"kill", "run", []int{0, 1}, func(p []*os.Process) { _ = p[2].Kill() }, "peer rank 2: it is gone", long, busy},
		{"kill rank 0", "run", []int{1, 2}, func(p []*os.Process) { _ = p[0].Kill() }, "peer rank 0: it is gone", long, busy},
		{"stop", "run", []int{0, 2}, func(p []*os.Process) { _ = p[1].Signal(syscall.SIGSTOP) }, "rank 1 (process", deadline, deadline + busy},
		{"disagree", "disagree", []int{0, 1, 2}, func([]*os.Process) {}, "the ranks disagree", long, busy},
		{"other call", "idle", []int{0, 1, 2}, func([]*os.Process) {}, "the ranks disagree", long, busy},
	}
	for _, kind := range []transport.Kind{transport.Shm, transport.TCP} {
		for _, tt := range tests {
			t.Run(kind.String()+"/"+tt.name, func(t *testing.T) {
				reports, last := fault(t, kind, tt.mode, tt.timeout, tt.survivors, tt.do)
				t.Logf("last survivor after %v: %s", last, reports[0])
				for _, r := range reports {
					if !strings.Contains(r, "all_reduce #") && !strings.Contains(r, "barrier #") {
						t.Errorf("report %q names no call", r)
					}
					if !strings.Contains(r, tt.want) {
						t.Errorf("report %q does not name %s", r, tt.want)
					}
				}
				if last > tt.within {
					t.Errorf("last survivor reported after %v, want %v", last, tt.within)
				}
			})
		}
	}
}

func TestInterruptEndsAllRanks(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Spec{Work: "test", Args: orders{Mode: "run", Dir: dir}, Ranks: 2, Kind: transport.Shm})
	}()
	awaitFile(t, filepath.Join(dir, "ready0"))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "all_reduce #") {
		t.Errorf("got %v", err)
	}
}
