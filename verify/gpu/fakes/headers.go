package fakes

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"planner/verify/gpu/dl"
)

// Headers are a vendor's header files, as its packages bring them: pip's
// nvidia-cuda-runtime-cu12, nvidia-nccl-cu12, nvidia-cublas-cu12 and
// nvidia-nvml-dev-cu12, Debian's libamdhip64-dev, or a toolkit.
type Headers struct {
	t       testing.TB
	gcc     string
	flags   []string
	include string
}

// places are where headers lie, beside the folders that PLANNER_HEADERS names
// (as PATH names its own).
var places = []string{"/usr/local/cuda/include", "/opt/rocm/include", "/usr/include",
	"/usr/lib/python3*/*-packages/nvidia/*/include", "/usr/local/lib/python3*/*-packages/nvidia/*/include"}

// Vendor returns the headers, and skips the test where one is missing.
func Vendor(t testing.TB, headers ...string) *Headers {
	t.Helper()
	h := &Headers{t: t, flags: []string{"-D__HIP_PLATFORM_AMD__", "-w"}}
	var err error
	if h.gcc, err = exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	var dirs []string
	for _, p := range append(filepath.SplitList(os.Getenv("PLANNER_HEADERS")), places...) {
		found, _ := filepath.Glob(p)
		dirs = append(dirs, found...)
	}
	for _, d := range dirs {
		if d != "/usr/include" {
			h.flags = append(h.flags, "-I"+d)
		}
	}
	for _, name := range headers {
		found := false
		for _, d := range dirs {
			_, err := os.Stat(filepath.Join(d, name))
			found = found || err == nil
		}
		if !found {
			t.Skipf("no %s (folders of headers go in PLANNER_HEADERS)", name)
		}
		h.include += fmt.Sprintf("#include <%s>\n", name)
	}
	return h
}

// Values returns what C expressions are: enumerators, sizes, offsets.
func (h *Headers) Values(expressions ...string) map[string]int64 {
	h.t.Helper()
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#include <stddef.h>\n" + h.include + "int main(void) {\n")
	for _, e := range expressions {
		fmt.Fprintf(&b, "  printf(\"%%lld\\n\", (long long)(%s));\n", e)
	}
	b.WriteString("  return 0;\n}\n")
	lines := strings.Fields(h.run(b.String()))
	out := map[string]int64{}
	for i, e := range expressions {
		v, err := strconv.ParseInt(lines[i], 10, 64)
		if err != nil {
			h.t.Fatal(err)
		}
		out[e] = v
	}
	return out
}

// Want compares C expressions with what Go has for them.
func (h *Headers) Want(want map[string]int64) {
	h.t.Helper()
	var list []string
	for e := range want {
		list = append(list, e)
	}
	for e, v := range h.Values(list...) {
		if v != want[e] {
			h.t.Errorf("%s is %d: Go has %d", e, v, want[e])
		}
	}
}

func (h *Headers) run(source string) string {
	h.t.Helper()
	dir := h.t.TempDir()
	file, program := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if b, err := exec.Command(h.gcc, append(h.flags, "-o", program, file)...).CombinedOutput(); err != nil {
		h.t.Fatalf("gcc: %v\n%.2000s", err, b)
	}
	b, err := exec.Command(program).Output()
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// Signatures compares every binding with its prototype: the number of
// parameters, and the bytes of each and of the result. Functions that the
// headers lack are counted only if they are not optional.
func (h *Headers) Signatures(all []dl.Binding) (checked int) {
	h.t.Helper()
	text := h.preprocessed()
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n" + h.include + "int main(void) {\n")
	var named []dl.Binding
	for _, x := range all {
		m := regexp.MustCompile(`(?s)[;}\s]([\w\s]+?[\s*]+)` + x.Name + `\s*\(([^;{]*?)\)[^;{()]*;`).FindStringSubmatch(text)
		if m == nil {
			if !x.Optional {
				h.t.Errorf("%s: no prototype", x.Name)
			}
			continue
		}
		named = append(named, x)
		fmt.Fprintf(&b, "  printf(\"%%d\", (int)sizeof(%s));\n", resultOf(m[1]))
		for _, p := range parameters(m[2]) {
			fmt.Fprintf(&b, "  printf(\" %%d\", (int)sizeof(%s));\n", p)
		}
		b.WriteString("  printf(\"\\n\");\n")
	}
	b.WriteString("  return 0;\n}\n")
	lines := strings.Split(strings.TrimSpace(h.run(b.String())), "\n")
	for i, x := range named {
		if got := goSizes(x.Func); got != lines[i] {
			h.t.Errorf("%s: bytes of result and parameters %s: Go has %s", x.Name, lines[i], got)
		}
	}
	return len(named)
}

func (h *Headers) preprocessed() string {
	h.t.Helper()
	c := exec.Command(h.gcc, append(h.flags, "-E", "-P", "-x", "c", "-")...)
	c.Stdin = strings.NewReader(h.include)
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Run(); err != nil {
		h.t.Fatal(err)
	}
	return regexp.MustCompile(`__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)`).ReplaceAllString(out.String(), " ")
}

// resultOf drops what is no type before a function's name.
func resultOf(s string) string {
	var words []string
	for _, w := range strings.Fields(s) {
		if w != "extern" && w != "static" && w != "inline" && w != "__inline__" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// parameters returns the types of a parameter list, names dropped.
func parameters(s string) (out []string) {
	for _, p := range strings.Split(s, ",") {
		p = strings.Join(strings.Fields(p), " ")
		if p == "void" || p == "" {
			continue
		}
		if strings.ContainsAny(p, "*[") {
			p = "void *"
		} else if w := strings.Fields(p); len(w) > 1 && !keyword[w[len(w)-1]] {
			p = strings.Join(w[:len(w)-1], " ")
		}
		out = append(out, p)
	}
	return out
}

var keyword = map[string]bool{"int": true, "long": true, "unsigned": true, "char": true, "float": true, "double": true, "short": true}

// goSizes lists the bytes of the result and the parameters of a bound Go
// function as C sees them.
func goSizes(f any) string {
	t := reflect.TypeOf(f).Elem()
	size := func(t reflect.Type) string {
		if t.Kind() == reflect.String {
			return "8" // a char *
		}
		return strconv.Itoa(int(t.Size()))
	}
	out := []string{"0"}
	if t.NumOut() > 0 {
		out[0] = size(t.Out(0))
	}
	for i := range t.NumIn() {
		out = append(out, size(t.In(i)))
	}
	return strings.Join(out, " ")
}
