// Package fakes builds, for tests, libraries that stand for the vendors': the
// same functions with the same C signatures, over host memory. Tests without
// a C compiler skip.
package fakes

import (
	"crypto/sha256"
	"errors"
	"fmt"
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
	out := filepath.Join(cache(t), name(t, root, sources))
	if _, err := os.Stat(out); err == nil {
		return out
	}
	part := filepath.Join(t.TempDir(), "part.so")
	args := []string{"-O2", "-Wall", "-fPIC", "-shared", "-pthread", "-Wl,-Bsymbolic", "-ffp-contract=off", "-I", root, "-o", part}
	for _, s := range sources {
		args = append(args, filepath.Join(root, s))
	}
	if b, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		if strings.Contains(string(b), "_Float16") {
			t.Skip("gcc without _Float16")
		}
		t.Fatalf("gcc: %v\n%s", err, b)
	}
	b, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	return put(t, out, b)
}

// cache is where libraries are kept between tests.
func cache(t testing.TB) string {
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "planner-fakes")
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return t.TempDir()
	}
	return dir
}

// name tells libraries of different sources apart.
func name(t testing.TB, root string, sources []string) string {
	h := sha256.New()
	for _, s := range append(sources, "fakes/c/cuda.h", "ptx/c/kernels.c", "ptx/c/norms.h", "ptx/c/adam.h") {
		b, err := os.ReadFile(filepath.Join(root, s))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(b)
		h.Write([]byte{0})
	}
	return fmt.Sprintf("lib%x.so", h.Sum(nil)[:12])
}

// put writes a file as a whole, since other tests may look for it now.
func put(t testing.TB, out string, b []byte) string {
	f, err := os.CreateTemp(filepath.Dir(out), "part")
	if err == nil {
		_, err = f.Write(b)
		err = errors.Join(err, f.Close(), os.Rename(f.Name(), out))
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
