package tui

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The state of a session and what it is made of know no terminal.
func TestOnlyThisPackageKnowsTheTerminal(t *testing.T) {
	for _, room := range []string{"state", "filter", "knob", "scan"} {
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", room, err)
		}
		for _, f := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range tree.Imports {
				if strings.Contains(i.Path.Value, "charmbracelet") || strings.Contains(i.Path.Value, "ntcharts") || strings.Contains(i.Path.Value, "osc52") {
					t.Errorf("%s imports %s", f, i.Path.Value)
				}
			}
		}
	}
}
