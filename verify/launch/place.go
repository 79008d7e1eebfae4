package launch

import (
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"strconv"
	"strings"
)

// Place is where a process stands in its job.
type Place struct {
	Rank, Size int
	LocalRank  int
	Address    string // host:port at which rank 0 listens
	Source     string // what said so
}

// scheme is how one launcher tells its processes their places.
type scheme struct {
	name              string
	rank, size, local string
	localSize         string
	needs             string   // a further variable without which it was not this launcher
	job               []string // variables that together name the job
	nodes             string   // list of hosts, of which the first has rank 0
	proxy             string   // the process that starts the ranks of a host
	taken             string   // when True, the launcher itself listens at MASTER_PORT
}

// schemes are looked for in this order. An mpirun inside a Slurm allocation
// sets the variables of both, and then Open MPI's or MPICH's hold. srun sets
// PMI_RANK too where it serves PMI-2, and a batch script has a SLURM_PROCID
// without being a step.
var schemes = []scheme{
	{name: "planner", rank: "PLANNER_RANK", size: "PLANNER_SIZE", local: "PLANNER_LOCAL_RANK"},
	{name: "torchrun", rank: "RANK", size: "WORLD_SIZE", local: "LOCAL_RANK", localSize: "LOCAL_WORLD_SIZE",
		needs: "MASTER_ADDR", job: []string{"TORCHELASTIC_RUN_ID", "MASTER_PORT"}, taken: "TORCHELASTIC_USE_AGENT_STORE"},
	{name: "mpirun of Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		local: "OMPI_COMM_WORLD_LOCAL_RANK", localSize: "OMPI_COMM_WORLD_LOCAL_SIZE",
		job: []string{"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
	{name: "mpiexec of MPICH", rank: "PMI_RANK", size: "PMI_SIZE", local: "MPI_LOCALRANKID",
		localSize: "MPI_LOCALNRANKS", needs: "MPI_LOCALNRANKS", proxy: "hydra_pmi_proxy"},
	{name: "srun", rank: "SLURM_PROCID", size: "SLURM_NTASKS", local: "SLURM_LOCALID", needs: "SLURM_STEP_ID",
		job: []string{"SLURM_JOB_ID", "SLURM_STEP_ID"}, nodes: "SLURM_STEP_NODELIST"},
}

// FromEnv reads a rank's place from the environment that a launcher set; ok is
// false when none did. MASTER_ADDR and MASTER_PORT, where set, say where rank
// 0 listens, whoever launched.
func FromEnv(getenv func(string) string) (p Place, ok bool, err error) {
	for _, s := range schemes {
		if getenv(s.rank) == "" || getenv(s.size) == "" || s.needs != "" && getenv(s.needs) == "" {
			continue
		}
		p, err = s.read(getenv)
		return p, true, err
	}
	return Place{}, false, nil
}

func (s scheme) read(getenv func(string) string) (Place, error) {
	p := Place{Source: s.name}
	for _, f := range []struct {
		name string
		to   *int
	}{{s.rank, &p.Rank}, {s.size, &p.Size}, {s.local, &p.LocalRank}} {
		v := getenv(f.name)
		if v == "" && f.to == &p.LocalRank {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return p, fmt.Errorf("%s=%q: not a number: want what %s sets", f.name, v, s.name)
		}
		*f.to = n
	}
	if p.Size < 1 || p.Rank >= p.Size {
		return p, fmt.Errorf("%s=%d: out of range: want 0 to %s-1 = %d", s.rank, p.Rank, s.size, p.Size-1)
	}
	var err error
	p.Address, err = s.address(getenv, p)
	return p, err
}

// address returns where rank 0 listens.
func (s scheme) address(getenv func(string) string, p Place) (string, error) {
	host, port := getenv("MASTER_ADDR"), getenv("MASTER_PORT")
	if s.name == "planner" {
		return getenv("PLANNER_ADDRESS"), nil
	}
	oneHost := p.Size == 1 || s.localSize != "" && getenv(s.localSize) == strconv.Itoa(p.Size)
	if host == "" && s.nodes != "" {
		host = firstHost(getenv(s.nodes))
	}
	if host == "" && oneHost {
		host = "127.0.0.1"
	}
	if host == "" {
		return "", fmt.Errorf("MASTER_ADDR: not set: %s does not say where rank 0 runs: want its host name", s.name)
	}
	if port == "" || getenv(s.taken) == "True" {
		job := s.jobName(getenv, oneHost)
		if job == "" {
			return "", fmt.Errorf("MASTER_PORT: not set: %s gives the job no name to derive one from: want a free port of rank 0's host", s.name)
		}
		port = strconv.Itoa(portOf(job))
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("MASTER_PORT=%q: not a port: want 1 to 65535", port)
	}
	return net.JoinHostPort(host, port), nil
}

// jobName returns what all ranks of a job know and no other job has; empty if
// there is no such thing.
func (s scheme) jobName(getenv func(string) string, oneHost bool) string {
	name := ""
	for _, v := range s.job {
		name += getenv(v) + "/"
	}
	if s.proxy != "" && oneHost {
		name = ancestor(s.proxy)
	}
	return strings.TrimLeft(name, "/")
}

// ancestor returns the number of the process of that name from which this one
// descends; empty if there is none. Names are as in proc_pid_stat(5), which
// cuts them to 15 bytes.
func ancestor(name string) string {
	name = name[:min(len(name), 15)]
	for pid := strconv.Itoa(os.Getppid()); pid != "0"; {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		_, rest, ok := strings.Cut(string(b), "(")
		end := strings.LastIndex(rest, ") ")
		if err != nil || !ok || end < 0 {
			return ""
		}
		if rest[:end] == name {
			return pid
		}
		f := strings.Fields(rest[end+1:])
		if len(f) < 2 {
			return ""
		}
		pid = f[1]
	}
	return ""
}

// portOf derives a port from a job's name, so that the jobs of one host do not
// meet. It stays below Linux's ephemeral ports, which begin at 32768.
func portOf(job string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(job))
	return 20000 + int(h.Sum32()%12000)
}

// firstHost returns the first host of Slurm's list: "gpu[003-007,12],login"
// begins with gpu003.
func firstHost(list string) string {
	head, rest, ok := strings.Cut(list, "[")
	if first, _, found := strings.Cut(head, ","); found {
		return first
	}
	if !ok {
		return head
	}
	inside, tail, _ := strings.Cut(rest, "]")
	if end := strings.IndexAny(inside, "-,"); end >= 0 {
		inside = inside[:end]
	}
	return head + inside + firstHost(tail)
}
