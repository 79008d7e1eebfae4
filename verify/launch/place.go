package launch

import (
	"fmt"
	"hash/fnv"
	"net"
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
	name                    string
	rank, size, local       string
	job                     []string // variables that name the job
	nodes                   string   // list of hosts, of which the first has rank 0
	localSize, mustHaveAddr string
}

// schemes are looked for in this order. An mpirun inside a Slurm allocation
// sets both, and then Open MPI's or MPICH's hold.
var schemes = []scheme{
	{name: "planner", rank: "PLANNER_RANK", size: "PLANNER_SIZE", local: "PLANNER_LOCAL_RANK"},
	{name: "torchrun", rank: "RANK", size: "WORLD_SIZE", local: "LOCAL_RANK", mustHaveAddr: "MASTER_ADDR"},
	{name: "mpirun of Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		local: "OMPI_COMM_WORLD_LOCAL_RANK", localSize: "OMPI_COMM_WORLD_LOCAL_SIZE",
		job: []string{"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
	{name: "mpirun of MPICH", rank: "PMI_RANK", size: "PMI_SIZE", local: "MPI_LOCALRANKID",
		localSize: "MPI_LOCALNRANKS", job: []string{"HYDI_CONTROL_FD", "PMI_JOBID"}},
	{name: "srun", rank: "SLURM_PROCID", size: "SLURM_NTASKS", local: "SLURM_LOCALID",
		job: []string{"SLURM_JOB_ID", "SLURM_STEP_ID"}, nodes: "SLURM_STEP_NODELIST"},
}

// FromEnv reads a rank's place from the environment that a launcher set; ok is
// false when none did. MASTER_ADDR and MASTER_PORT, where set, say where rank
// 0 listens, whoever launched.
func FromEnv(getenv func(string) string) (p Place, ok bool, err error) {
	for _, s := range schemes {
		if getenv(s.rank) == "" || getenv(s.size) == "" || s.mustHaveAddr != "" && getenv(s.mustHaveAddr) == "" {
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
	if host == "" && s.nodes != "" {
		host = firstHost(getenv(s.nodes))
	}
	if host == "" && (p.Size == 1 || s.localSize != "" && getenv(s.localSize) == strconv.Itoa(p.Size)) {
		host = "127.0.0.1"
	}
	if host == "" {
		return "", fmt.Errorf("MASTER_ADDR: not set: %s does not say where rank 0 runs: want its host name", s.name)
	}
	if port == "" {
		port = strconv.Itoa(s.port(getenv))
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("MASTER_PORT=%q: not a port: want 1 to 65535", port)
	}
	return net.JoinHostPort(host, port), nil
}

// port derives a port from the job's name, so that the jobs of one host do not
// meet. It stays below Linux's ephemeral ports, which begin at 32768.
func (s scheme) port(getenv func(string) string) int {
	h := fnv.New32a()
	for _, v := range s.job {
		_, _ = h.Write([]byte(getenv(v) + "/"))
	}
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
	inside, _, _ := strings.Cut(rest, "]")
	return head + strings.FieldsFunc(inside+"-", func(r rune) bool { return r == '-' || r == ',' })[0]
}
