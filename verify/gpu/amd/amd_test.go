package amd

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"planner/verify/gpu/ptx"
)

// TestCodeObjects: ELF files for AMD's GPUs (machine 224) by their processor
// (EF_AMDGPU_MACH in LLVM's AMDGPUUsage), with a descriptor of 64 bytes for
// every kernel.
func TestCodeObjects(t *testing.T) {
	for arch, mach := range map[string]uint32{"gfx90a": 0x3f, "gfx942:sramecc+:xnack-": 0x4c} {
		b, err := Image(arch)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		flags := uint32(b[0x30]) // e_flags, whose low byte is the processor
		if f.Machine != 224 || f.OSABI != 64 || flags != mach {
			t.Errorf("%s: machine %d, ABI %d, processor %#x: want 224, 64, %#x", arch, f.Machine, f.OSABI, flags, mach)
		}
		symbols, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		size := map[string]uint64{}
		for _, s := range symbols {
			size[s.Name] = s.Size
		}
		for _, e := range ptx.Entries() {
			if size[e+".kd"] != 64 || size[e] == 0 {
				t.Errorf("%s: %s: descriptor of %d bytes, code of %d", arch, e, size[e+".kd"], size[e])
			}
		}
	}
	if _, err := Image("gfx1100"); err == nil || !strings.Contains(err.Error(), "gfx1100: no kernels for it: want gfx90a") {
		t.Error(err)
	}
}

// TestGenerated compiles again where the compiler and the linker are there.
func TestGenerated(t *testing.T) {
	cc, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19")
	}
	if _, err := exec.LookPath("ld.lld-19"); err != nil {
		t.Skip("no lld-19")
	}
	src, err := os.ReadFile("amd.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^//go:generate clang-19 (.*) (\S+)$`).FindAllSubmatch(src, -1) {
		out := filepath.Join(t.TempDir(), "out.co")
		args := append(strings.Fields(string(m[1])), out)
		if b, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Skipf("clang-19 without the AMDGPU target: %s", b)
		}
		got, err := os.ReadFile(out)
		want, err2 := os.ReadFile(string(m[2]))
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate makes (%v, %v)", m[2], err, err2)
		}
	}
}

// TestAssembly reads the instructions: 16-byte accesses, no scratch memory, no
// fused multiply-add in the reductions.
func TestAssembly(t *testing.T) {
	cc, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19")
	}
	out := filepath.Join(t.TempDir(), "k.s")
	b, err := exec.Command(cc, "-O3", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-ffp-contract=off", "-S", "../ptx/c/kernels.c", "-o", out).CombinedOutput()
	if err != nil {
		t.Skipf("clang-19 without the AMDGPU target: %s", b)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range ptx.Entries() {
		_, body, _ := strings.Cut(string(text), "\n"+e+":")
		body, _, _ = strings.Cut(body, ".end_amdhsa_kernel")
		for _, want := range []string{"global_load_dwordx4", "global_store_dwordx4", ".amdhsa_private_segment_fixed_size 0"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %s", e, want)
			}
		}
		if strings.HasPrefix(e, "sum") && strings.Contains(body, "v_fma") {
			t.Errorf("%s: fused multiply-add", e)
		}
	}
}
