package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// machine writes files of a machine under a folder and returns it.
func machine(t *testing.T, env map[string]string, files map[string]string) system {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return system{root, func(k string) string { return env[k] }}
}

// A DGX node as its kernel and driver describe it (proc(5), the NVIDIA driver's
// README, chapter "The /proc file system interface"; Documentation/ABI/stable/
// sysfs-class-infiniband).
var dgx = map[string]string{
	"proc/cpuinfo":               "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\n",
	"proc/meminfo":               "MemTotal:       2113390592 kB\nMemFree:        1000 kB\nMemAvailable:   2000000000 kB\n",
	"proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Mon Jan 1 00:00:00 UTC 2024\nGCC version:  gcc version 11.4.0\n",
	"proc/driver/nvidia/gpus/0000:1b:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 300\n",
	"proc/driver/nvidia/gpus/0000:43:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 301\n",
	"sys/class/infiniband/mlx5_0/ports/1/rate":         "400 Gb/sec (4X NDR)\n",
	"sys/class/net/lo/operstate":                       "unknown\n",
	"sys/class/net/eth0/operstate":                     "up\n",
	"sys/class/net/eth0/speed":                         "100000\n",
	"sys/class/net/eth1/operstate":                     "down\n",
	"sys/class/net/bond0/operstate":                    "up\n",
	"sys/class/net/bond0/speed":                        "-1\n",
	"usr/lib/x86_64-linux-gnu/libcuda.so.1":            "",
	"usr/local/lib/libnccl.so.2":                       "",
	"sys/bus/pci/devices/0000:00:02.0/class":           "0x030000\n",
	"sys/bus/pci/devices/0000:00:02.0/vendor":          "0x10de\n",
	"sys/bus/pci/devices/0000:00:02.0/device":          "0x2330\n",
}

func TestExamine(t *testing.T) {
	r := machine(t, map[string]string{"SLURM_PROCID": "3", "SLURM_NTASKS": "16", "SLURM_STEP_NODELIST": "gpu[007-008]", "SLURM_JOB_ID": "1", "SLURM_STEP_ID": "0"}, dgx).examine()
	if r.CPU != "Intel(R) Xeon(R) Platinum 8480C" || r.OS != runtime.GOOS || r.Cores < 1 || r.Vector == "" {
		t.Errorf("processor: %+v", r)
	}
	if r.Memory != 2113390592<<10 || r.Free != 2000000000<<10 {
		t.Errorf("memory %d, available %d", r.Memory, r.Free)
	}
	if !slices.Equal(r.GPUs, []string{"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"}) || r.Driver != "535.161.08" {
		t.Errorf("GPUs %q, driver %q", r.GPUs, r.Driver)
	}
	if len(r.CUDA) != 1 || len(r.NCCL) != 1 || filepath.Base(r.NCCL[0]) != "libnccl.so.2" {
		t.Errorf("CUDA %q, NCCL %q", r.CUDA, r.NCCL)
	}
	want := []NIC{{"mlx5_0", "rdma", "400 Gb/sec (4X NDR)"}, {"bond0", "ethernet", "speed not stated"}, {"eth0", "ethernet", "100000 Mb/s"}}
	if !slices.Equal(r.NICs, want) {
		t.Errorf("NICs %+v, want %+v", r.NICs, want)
	}
	if r.Launcher != "rank 3 of 16, by srun" {
		t.Errorf("launcher %q", r.Launcher)
	}
}

// TestLaunchers: what the environments of launchers make of a process.
func TestLaunchers(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "none: planner starts its own ranks"},
		{map[string]string{"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "MASTER_ADDR": "a", "MASTER_PORT": "29500"}, "rank 1 of 4, by torchrun"},
		{map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "PMIX_NAMESPACE": "job1"}, "rank 0 of 2, by mpirun of Open MPI"},
		{map[string]string{"RANK": "x", "WORLD_SIZE": "4", "MASTER_ADDR": "a"}, `incomplete: RANK="x": not a number: want what torchrun sets`},
	} {
		if got := machine(t, tt.env, nil).launcher(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
}

// TestCardsWithoutDriver: cards are found on the bus, by vendor and class
// (pci.ids: 10de NVIDIA, 1002 AMD; class 03 display, 12 accelerators).
func TestCardsWithoutDriver(t *testing.T) {
	card := func(slot, class, vendor, device string) map[string]string {
		d := "sys/bus/pci/devices/" + slot + "/"
		return map[string]string{d + "class": class, d + "vendor": vendor, d + "device": device}
	}
	files := map[string]string{}
	for _, c := range []map[string]string{card("0", "0x030200", "0x10de", "0x2330"), card("1", "0x120000", "0x1002", "0x74a1"),
		card("2", "0x020000", "0x10de", "0x1234"), card("3", "0x030000", "0x8086", "0x1234")} {
		for k, v := range c {
			files[k] = v
		}
	}
	s := machine(t, nil, files)
	if got := s.gpus(); !slices.Equal(got, []string{"NVIDIA device 0x2330 (no driver)", "AMD device 0x74a1"}) {
		t.Errorf("%q", got)
	}
	if s.driver() != "" {
		t.Errorf("driver %q of a machine without one", s.driver())
	}
}

func TestLibrariesOfThePath(t *testing.T) {
	dir := t.TempDir()
	lib := filepath.Join(dir, "libnccl.so.2")
	if err := os.WriteFile(lib, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := machine(t, map[string]string{"LD_LIBRARY_PATH": dir + ":" + dir}, nil)
	if got := s.libraries("libnccl.so.2"); !slices.Equal(got, []string{lib}) {
		t.Errorf("%q, want it once", got)
	}
}

// TestChoice: without GPUs, or without what drives them, it is the host, and it
// says what is missing.
func TestChoice(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "planner-gpu")
	for _, tt := range []struct {
		r    Report
		says string
	}{
		{Report{}, "no GPU"},
		{Report{GPUs: []string{"H100"}}, "no planner-gpu"},
		{Report{GPUs: []string{"H100"}, Worker: absent}, "planner-gpu: "},
	} {
		backend, why := tt.r.choose(context.Background())
		if backend != "host" || !strings.Contains(why, tt.says) {
			t.Errorf("%+v: %s: %s, want host, %q", tt.r, backend, why, tt.says)
		}
	}
}

// TestRender: every figure of a report is on the page, and of an empty one that
// nothing was found.
func TestRender(t *testing.T) {
	var full, empty strings.Builder
	r := machine(t, nil, dgx).examine()
	r.Backend, r.Why = "nccl", "two GPUs"
	Render(&full, r)
	for _, want := range []string{"Platinum 8480C", "2015.5 GiB", "H100 80GB HBM3, NVIDIA H100", "535.161.08", "mlx5_0 · rdma · 400 Gb/sec", "nccl: two GPUs"} {
		if !strings.Contains(full.String(), want) {
			t.Errorf("no %q in\n%s", want, full.String())
		}
	}
	Render(&empty, &Report{})
	for _, want := range []string{"processor not named", "GPUs       none", "planner-gpu not found"} {
		if !strings.Contains(empty.String(), want) {
			t.Errorf("no %q in\n%s", want, empty.String())
		}
	}
}

// TestThisMachine: what is examined here is what the system says of itself.
func TestThisMachine(t *testing.T) {
	r := Examine(context.Background())
	if r.Cores != runtime.NumCPU() || r.Backend == "" || r.Why == "" {
		t.Errorf("%+v", r)
	}
	if runtime.GOOS == "linux" && (r.Memory <= 0 || r.Free > r.Memory) {
		t.Errorf("memory %d, available %d", r.Memory, r.Free)
	}
}
