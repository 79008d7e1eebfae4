package dl_test

import (
	"os/exec"
	"strings"
	"testing"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
)

func TestOptional(t *testing.T) {
	l, err := dl.Open("gcc's output", "lib.so.none", fakes.Build(t, "ptx/c/kernels.c"))
	if err != nil {
		t.Fatal(err)
	}
	var f, g func()
	if err := l.Bind([]dl.Binding{{Name: "copy", Func: &f}, {Name: "none", Func: &g, Optional: true}}); err != nil || f == nil || g != nil {
		t.Errorf("%v: f bound %v, g bound %v: want no error, true, false", err, f != nil, g != nil)
	}
	if err := l.Bind([]dl.Binding{{Name: "none", Func: &g}}); err == nil || !strings.Contains(err.Error(), "no function none") {
		t.Errorf("%v: want which function is missing", err)
	}
}

func TestAbsent(t *testing.T) {
	_, err := dl.Open("a miracle", "liba.so.none", "libb.so.none")
	if err == nil || !strings.Contains(err.Error(), "liba.so.none, libb.so.none: cannot be loaded: want a miracle") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v: want one line with both names and the need", err)
	}
}

// TestPlannerStaysStatic: nothing that cmd/planner imports may import purego,
// which would link it with the system's C library.
func TestPlannerStaysStatic(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "planner/cmd/planner").Output()
	if err != nil {
		t.Skip("go list:", err)
	}
	for _, p := range strings.Fields(string(out)) {
		if strings.HasPrefix(p, "github.com/ebitengine/purego") || strings.HasPrefix(p, "planner/verify/gpu/dl") {
			t.Errorf("planner imports %s", p)
		}
	}
}
