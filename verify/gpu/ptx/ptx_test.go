package ptx

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	s := string(text)
	for _, want := range []string{".version 6.0\n", ".target sm_70\n", ".address_size 64\n"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q", want)
		}
	}
	// .nc reads through a cache that other GPUs' writes do not reach; .ftz
	// would lose subnormals; .approx and fma would round otherwise.
	for _, bad := range []string{".nc", ".ftz", ".approx", "fma.", ".local"} {
		if strings.Contains(s, bad) {
			t.Errorf("contains %q", bad)
		}
	}
	if img := Image(); img[len(img)-1] != 0 || bytes.IndexByte(text, 0) >= 0 {
		t.Error("the image is not one NUL-terminated text")
	}
}

// TestEntries: every kernel is there, once, and has 16-byte loads and stores.
func TestEntries(t *testing.T) {
	body := map[string]string{}
	for _, p := range strings.Split(string(text), ".visible .entry ")[1:] {
		name, rest, _ := strings.Cut(p, "(")
		body[name] = rest
	}
	if len(body) != len(Entries()) {
		t.Errorf("%d entries in the text: want %d", len(body), len(Entries()))
	}
	load, store := regexp.MustCompile(`ld\.global\.v4\.\w32`), regexp.MustCompile(`st\.global\.v4\.\w32`)
	for _, e := range Entries() {
		loads := 2
		switch kind, _, _ := strings.Cut(e, "_"); kind {
		case Copy, "avg":
			loads = 1
		case "norm": // once for the sum, once with the weight
			loads = 3
		case "normgrad": // twice for the sums, once for the result
			loads = 7
		case "adam":
			loads = 4
		}
		if n := len(load.FindAllString(body[e], -1)); n < loads {
			t.Errorf("%s: %d loads of 16 bytes: want %d", e, n, loads)
		}
		if !store.MatchString(body[e]) {
			t.Errorf("%s: no store of 16 bytes", e)
		}
	}
}

// TestGenerated compiles the source again where the compiler is there.
func TestGenerated(t *testing.T) {
	cc, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("no clang-19")
	}
	src, err := os.ReadFile("ptx.go")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^//go:generate clang-19 (.*)$`).FindSubmatch(src)
	out := filepath.Join(t.TempDir(), "kernels.ptx")
	args := strings.Fields(string(line[1]))
	args[len(args)-1] = out
	if b, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Skipf("clang-19 without the NVPTX target: %s", b)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, text) {
		t.Errorf("kernels.ptx is not what go generate makes of c/kernels.c (%v)", err)
	}
}

// TestAssembles assembles the text for every architecture that a ptxas knows.
func TestAssembles(t *testing.T) {
	ptxas := os.Getenv("PTXAS")
	if ptxas == "" {
		ptxas = "ptxas"
	}
	if _, err := exec.LookPath(ptxas); err != nil {
		t.Skip("no ptxas in PATH or PTXAS")
	}
	help, _ := exec.Command(ptxas, "--help").CombinedOutput()
	for _, sm := range []string{"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"} {
		if !bytes.Contains(help, []byte("'"+sm+"'")) {
			continue
		}
		b, err := exec.Command(ptxas, "-v", "-arch", sm, "-o", filepath.Join(t.TempDir(), sm), "kernels.ptx").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", sm, err, b)
		}
		if spill := regexp.MustCompile(`[1-9]\d* bytes spill`).Find(b); spill != nil {
			t.Errorf("%s: %s", sm, spill)
		}
		t.Logf("%s: assembled", sm)
	}
}
