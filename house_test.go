// Package planner_test holds the rules of the house that no package can hold
// alone.
package planner_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// floors are the rooms from the ground up: each imports those below alone.
var floors = []string{"hardware/unit", "hardware", "costmodel", "strategies", "verify", "cmd"}

// floorOf returns the floor of a package, −1 for a package of no floor.
func floorOf(path string) int {
	best, length := -1, 0
	for i, f := range floors {
		if (path == f || strings.HasPrefix(path, f+"/")) && len(f) > length {
			best, length = i, len(f)
		}
	}
	return best
}

// allowed reports whether a package may import another of the module.
func allowed(from, to string) bool {
	switch {
	case strings.HasPrefix(to, "cmd/"):
		return false // commands are imported by nobody
	case strings.HasPrefix(from, "internal/"), strings.HasPrefix(from, "cmd/"):
		return true // what commands share, and they themselves, stand above every room
	case strings.HasPrefix(from, "presets"):
		return false // data knows no code
	case strings.HasPrefix(to, "internal/"), strings.HasPrefix(to, "presets"):
		return false // rooms know neither files nor terminals
	}
	return floorOf(to) <= floorOf(from)
}

// TestImportOrder checks hardware/unit < hardware < costmodel < strategies <
// verify < cmd, and that no room imports what commands share.
func TestImportOrder(t *testing.T) {
	const module = "planner/"
	checked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(path))
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(to, module) {
				continue
			}
			checked++
			if to = strings.TrimPrefix(to, module); !allowed(from, to) {
				t.Errorf("%s imports %s, which lies above it", path, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Errorf("only %d imports of the module found", checked)
	}
}

// TestFloors checks the rule itself.
func TestFloors(t *testing.T) {
	for _, x := range []struct {
		from, to string
		want     bool
	}{
		{"hardware", "hardware/unit", true}, {"hardware/unit", "hardware", false},
		{"costmodel/collective", "hardware", true}, {"costmodel", "strategies", false}, {"costmodel", "costmodel/kernel", true},
		{"strategies", "costmodel/timeline", true}, {"strategies", "internal/catalog", false}, {"strategies", "presets", false},
		{"verify/engine", "strategies", true}, {"strategies", "verify/engine", false},
		{"internal/show", "strategies", true}, {"cmd/planner", "internal/show", true}, {"internal/ask", "cmd/planner", false},
		{"internal/catalog", "presets", true}, {"presets", "strategies", false},
	} {
		if got := allowed(x.from, x.to); got != x.want {
			t.Errorf("%s may import %s: %v, want %v", x.from, x.to, got, x.want)
		}
	}
}
