package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
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
		awaitFile(t, filepath.Join(dir, fmt.Sprintf("ready%d", r)))
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
	const deadline = 400 * time.Millisecond
	tests := []struct {
		name      string
		mode      string
		survivors []int
		do        func(p []*os.Process)
		want      string
		within    time.Duration
	}{
		{"kill", "run", []int{0, 1}, func(p []*os.Process) { _ = p[2].Kill() }, "peer rank 2: it", 100 * time.Millisecond},
		{"kill rank 0", "run", []int{1, 2}, func(p []*os.Process) { _ = p[0].Kill() }, "rank 0", 100 * time.Millisecond},
		{"stop", "run", []int{0, 2}, func(p []*os.Process) { _ = p[1].Signal(syscall.SIGSTOP) }, "rank 1", deadline + 100*time.Millisecond},
		{"disagree", "disagree", []int{0, 1, 2}, func([]*os.Process) {}, "disagree", 100 * time.Millisecond},
		{"other call", "idle", []int{0, 1, 2}, func([]*os.Process) {}, "disagree", 100 * time.Millisecond},
	}
	for _, kind := range []transport.Kind{transport.Shm, transport.TCP} {
		for _, tt := range tests {
			t.Run(kind.String()+"/"+tt.name, func(t *testing.T) {
				reports, last := fault(t, kind, tt.mode, deadline, tt.survivors, tt.do)
				t.Logf("last survivor after %v: %s", last, reports[0])
				for _, r := range reports {
					if !strings.Contains(r, "all_reduce #") && !strings.Contains(r, "barrier #") {
						t.Errorf("report %q names no call", r)
					}
					if !strings.Contains(r, tt.want) {
						t.Errorf("report %q does not name %s", r, tt.want)
					}
				}
				if slack := 150 * time.Millisecond; last > tt.within+slack { // other programs use the cores too
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

// meet runs the ranks of a job in this process.
func meet(t *testing.T, l net.Listener, ranks ...func(addr string) error) []error {
	t.Helper()
	errs := make([]error, len(ranks))
	var wg sync.WaitGroup
	for i, f := range ranks {
		wg.Go(func() { errs[i] = f(l.Addr().String()) })
	}
	wg.Wait()
	return errs
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestStrangersAreRefused(t *testing.T) {
	join := func(c Config, rank, size int) func(string) error {
		return func(addr string) error {
			c.Patience = 5 * time.Second
			j, err := Join(t.Context(), Place{Rank: rank, Size: size, Address: addr}, c)
			if err == nil {
				err = j.Close()
			}
			return err
		}
	}
	l := listener(t)
	good := Config{Kind: transport.TCP, Secret: "s"}
	zero := good
	zero.Listener = l
	refused := make(chan struct{})
	after := func(f func(string) error) func(string) error {
		return func(a string) error { <-refused; return f(a) }
	}
	strangers := func(addr string) error {
		defer close(refused)
		var errs []error
		errs = append(errs, join(Config{Kind: transport.TCP, Secret: "x"}, 1, 2)(addr))
		errs = append(errs, join(good, 1, 3)(addr))
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_, _ = c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
			_, _ = c.Read(make([]byte, 1000))
			_ = c.Close()
		}
		return errors.Join(append(errs, err, otherVersion(addr))...)
	}
	errs := meet(t, l, join(zero, 0, 2), after(join(good, 1, 2)), strangers)
	if errs[0] != nil || errs[1] != nil {
		t.Errorf("the job's own ranks: %v, %v", errs[0], errs[1])
	}
	for _, want := range []string{"wrong secret", "a job of 3 ranks: want 2", "version 99 of the protocol: want 1"} {
		if errs[2] == nil || !strings.Contains(errs[2].Error(), want) {
			t.Errorf("strangers got %v, want %q", errs[2], want)
		}
	}
}

// otherVersion introduces itself as a later planner and returns the answer.
func otherVersion(addr string) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	w := newWire(c)
	if _, err := w.receive(); err != nil { // the challenge
		return err
	}
	if err := w.send(message{Kind: "hello", Version: 99, Rank: 1, Size: 2, Peer: &transport.Peer{}}); err != nil {
		return err
	}
	m, err := w.receive()
	return errors.Join(err, errors.New(m.Reason))
}

func TestMissingRankIsNamed(t *testing.T) {
	l := listener(t)
	_, err := Join(t.Context(), Place{Size: 2, Address: l.Addr().String()},
		Config{Kind: transport.TCP, Listener: l, Patience: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "ranks [1]: did not come") {
		t.Errorf("got %v", err)
	}
}

func TestFromEnv(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want Place
		bad  string
	}{
		{"torchrun", map[string]string{"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "n0", "MASTER_PORT": "29500"},
			Place{3, 8, 1, "n0:29500", "torchrun"}, ""},
		{"srun", map[string]string{"SLURM_PROCID": "9", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1", "SLURM_STEP_ID": "0", "SLURM_STEP_NODELIST": "gpu[03-04]", "MASTER_PORT": "1234"},
			Place{9, 16, 1, "gpu03:1234", "srun"}, ""},
		{"openmpi", map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
			"OMPI_COMM_WORLD_LOCAL_SIZE": "2", "MASTER_PORT": "1234", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
			Place{1, 2, 1, "127.0.0.1:1234", "mpirun of Open MPI"}, ""},
		{"mpich", map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "MPI_LOCALNRANKS": "1", "MASTER_ADDR": "h", "MASTER_PORT": "1"},
			Place{0, 2, 0, "h:1", "mpiexec of MPICH"}, ""},
		{"mpich on hosts", map[string]string{"PMI_RANK": "0", "PMI_SIZE": "2", "MPI_LOCALNRANKS": "1", "MASTER_ADDR": "h"},
			Place{}, "MASTER_PORT: not set"},
		{"srun with PMI-2", map[string]string{"PMI_RANK": "1", "PMI_SIZE": "2", "PMI_JOBID": "3.0", "SLURM_PROCID": "1", "SLURM_NTASKS": "2",
			"SLURM_LOCALID": "1", "SLURM_STEP_ID": "0", "SLURM_STEP_NODELIST": "a", "MASTER_PORT": "1"},
			Place{1, 2, 1, "a:1", "srun"}, ""},
		{"openmpi on hosts", map[string]string{"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"},
			Place{}, "MASTER_ADDR: not set"},
		{"bad", map[string]string{"RANK": "9", "WORLD_SIZE": "8", "MASTER_ADDR": "h"}, Place{}, "RANK=9: out of range"},
	}
	for _, tt := range tests {
		got, ok, err := FromEnv(func(k string) string { return tt.env[k] })
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.bad)
			}
			continue
		}
		if err != nil || !ok || got != tt.want {
			t.Errorf("%s: %+v %v %v, want %+v", tt.name, got, ok, err, tt.want)
		}
	}
	for name, env := range map[string]map[string]string{"empty": nil, "a batch script of Slurm": {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}} {
		if _, ok, err := FromEnv(func(k string) string { return env[k] }); ok || err != nil {
			t.Errorf("%s: %v %v", name, ok, err)
		}
	}
}

// TestAgentStore: torchrun's agent listens at MASTER_PORT itself and says so.
func TestAgentStore(t *testing.T) {
	env := map[string]string{"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "h", "MASTER_PORT": "29500",
		"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RUN_ID": "none"}
	get := func(k string) string { return env[k] }
	p, _, err := FromEnv(get)
	if err != nil || p.Address == "h:29500" {
		t.Errorf("%+v %v: want another port", p, err)
	}
	env["RANK"] = "1"
	if q, _, err := FromEnv(get); err != nil || q.Address != p.Address {
		t.Errorf("rank 1 goes to %s, rank 0 is at %s (%v)", q.Address, p.Address, err)
	}
}

func TestFirstHost(t *testing.T) {
	for in, want := range map[string]string{
		"gpu[003-007,12],login": "gpu003", "a,b": "a", "solo": "solo", "n[7,9]": "n7", "x1,gpu[2-3]": "x1", "": "",
	} {
		if got := firstHost(in); got != want {
			t.Errorf("firstHost(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzFirstHost(f *testing.F) {
	f.Add("gpu[003-007,12],login")
	f.Fuzz(func(_ *testing.T, in string) { firstHost(in) })
}
