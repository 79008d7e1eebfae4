package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"planner/verify/bench"
	"planner/verify/transport"
)

// envBench makes this program run bench as it would under a launcher.
const envBench = "PLANNER_TEST_BENCH"

// maybeBench runs bench and exits, if a launcher's test asked for it.
func maybeBench() {
	kind, ok := transport.ParseKind(os.Getenv(envBench))
	if !ok {
		return
	}
	o := options()
	o.Kind, o.Format, o.Ranks = kind, "csv", 7 // the launcher says otherwise
	if err := bench.Run(context.Background(), o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "planner:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// launcher starts ranks of a program. Without ready the name must be in the
// path; args end with the number of ranks.
type launcher struct {
	name, command string
	args          []string
	ready         func() error
}

var launchers = []launcher{
	{"Open MPI", "mpirun.openmpi", []string{"--oversubscribe", "-n"}, nil},
	{"Open MPI, bound to cores", "mpirun.openmpi", []string{"--oversubscribe", "--bind-to", "core:overload-allowed", "-n"}, nil},
	{"MPICH", "mpiexec.hydra", []string{"-n"}, nil},
	{"Slurm", "srun", []string{"-O", "-n"}, slurmAnswers},
	{"Slurm with PMI-2", "srun", []string{"--mpi=pmi2", "-O", "-n"}, slurmAnswers},
	{"torchrun", "torchrun", []string{"--no_python", "--nproc_per_node"}, torchWorks},
	{"torchrun, standalone", "torchrun", []string{"--standalone", "--no_python", "--nproc_per_node"}, torchWorks},
}

// slurmAnswers asks for a controller, without which srun waits.
func slurmAnswers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "sinfo", "--noheader").Run()
}

// torchWorks runs a program that does nothing: some packages of torch do not
// fit the Python that they come with.
var torchWorks = sync.OnceValue(func() error {
	return exec.Command("torchrun", "--no_python", "--nproc_per_node", "1", "true").Run()
})

// TestLaunchers runs bench under every launcher that this machine has.
func TestLaunchers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) {
			if _, err := exec.LookPath(l.command); err != nil {
				t.Skip(err)
			}
			if l.ready != nil {
				if err := l.ready(); err != nil {
					t.Skipf("%s: %v", l.command, err)
				}
			}
			l.bench(t, self, 2, "shm")
			l.bench(t, self, 4, "mixed")
			l.bench(t, self, 4, "tcp")
		})
	}
}

func (l launcher) bench(t *testing.T, self string, ranks int, kind string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, l.command, append(l.args, strconv.Itoa(ranks), self)...)
	c.Env = append(os.Environ(), envBench+"="+kind, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Errorf("%d ranks over %s: %v\n%s", ranks, kind, err, &errs)
		return
	}
	checkTable(t, string(out))
}

// checkTable expects options' four rows, once, and nothing wrong in them.
func checkTable(t *testing.T, out string) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(out) {
		if f := strings.Split(line, ","); f[0] != "op" {
			rows++
			if len(f) < 14 || f[9] != "0" {
				t.Errorf("row %q", line)
			}
		}
	}
	if rows != 4 {
		t.Errorf("%d rows, want 4:\n%s", rows, out)
	}
}

// TestSSH starts ranks over ssh, at a server of its own on this machine, and
// interrupts them: no signal reaches a rank on another host.
func TestSSH(t *testing.T) {
	serveSSH(t)
	o := options()
	o.Kind, o.Hosts, o.Format = transport.Mixed, []string{"node0", "node1"}, "csv"
	for _, ranks := range []int{2, 4} {
		o.Ranks, o.Address = ranks, freeAddress(t)
		var out, errs bytes.Buffer
		if err := bench.Run(t.Context(), o, &out, &errs); err != nil {
			t.Fatalf("%d ranks: %v\n%s", ranks, err, &errs)
		}
		checkTable(t, out.String())
	}
	o.Iters, o.Address, o.Format = 1e6, freeAddress(t), "table"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &firstWrite{then: cancel}
	err := bench.Run(ctx, o, out, nil)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("interrupted: got %v", err)
	}
}

// firstWrite calls then when something is written.
type firstWrite struct{ then func() }

func (w *firstWrite) Write(b []byte) (int, error) { w.then(); return len(b), nil }

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serveSSH runs an ssh server for the hosts node0 and node1, which are this
// machine, and puts an ssh that finds them first in the path.
func serveSSH(t *testing.T) {
	t.Helper()
	ssh, err := exec.LookPath("ssh")
	server, err2 := exec.LookPath("/usr/sbin/sshd")
	if err != nil || err2 != nil || os.Getuid() != 0 {
		t.Skip("needs ssh, sshd and root")
	}
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(freeAddress(t))
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, key := range []string{"host", "user"} {
		if err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).Run(); err != nil {
			t.Skipf("ssh-keygen: %v", err)
		}
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // sshd's, for processes without rights
		t.Skip(err)
	}
	config := write("sshd_config", fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s/host\nPermitRootLogin yes\n"+
		"AuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n", port, dir, dir), 0o600)
	client := write("ssh_config", fmt.Sprintf("Host node0 node1\nHostName 127.0.0.1\nPort %s\nIdentityFile %s/user\n"+
		"StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n", port, dir), 0o600)
	write("ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, client), 0o700)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	c := exec.Command(server, "-D", "-f", config)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if exec.Command("ssh", "-o", "BatchMode=yes", "node0", "true").Run() == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Skip("the ssh server does not let us in")
		}
	}
}
