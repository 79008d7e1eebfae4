// Package fakes builds, for tests, libraries that stand for the vendors': the
// same functions with the same C signatures, over host memory. Tests without
// a C compiler skip.
package fakes

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Build compiles C sources of verify/gpu, given relative to it, into a shared
// library and returns its path.
func Build(t testing.TB, sources ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(here))
	if _, err := os.Stat(root); err != nil {
		t.Skip("the sources are not there")
	}
	out := filepath.Join(t.TempDir(), "lib"+strings.TrimSuffix(filepath.Base(sources[0]), ".c")+".so")
	args := []string{"-O2", "-Wall", "-fPIC", "-shared", "-pthread", "-Wl,-Bsymbolic", "-ffp-contract=off", "-I", root, "-o", out}
	for _, s := range sources {
		args = append(args, filepath.Join(root, s))
	}
	if b, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		if strings.Contains(string(b), "_Float16") {
			t.Skip("gcc without _Float16")
		}
		t.Fatalf("gcc: %v\n%s", err, b)
	}
	return out
}
