package launch

import (
	"strings"
	"testing"
)

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
		"rack[1-2]n[04,06],x": "rack1n04", "gpu[2-3]-ib": "gpu2-ib", "[": "",
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
