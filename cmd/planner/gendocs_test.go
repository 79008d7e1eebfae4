package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReference: docs/cli says what the commands say.
func TestReference(t *testing.T) {
	root := newRoot(io.Discard)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	want, err := reference(root)
	if err != nil {
		t.Fatal(err)
	}
	const mend = "go run ./cmd/planner gen-docs --markdown docs/cli"
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, err := os.ReadFile(filepath.Join("../../docs/cli", name))
		if err != nil || !bytes.Equal(got, want[name]) {
			t.Errorf("docs/cli/%s differs from the command's help: %s", name, mend)
		}
	}
	files, _ := filepath.Glob("../../docs/cli/*.md")
	for _, f := range files {
		if want[filepath.Base(f)] == nil {
			t.Errorf("%s is of no command: remove it", f)
		}
	}
}

// TestManPages: a page for every command, with its flags.
func TestManPages(t *testing.T) {
	pages, err := manPages(newRoot(io.Discard), time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"planner.1": "planner-suggest(1)", "planner-suggest.1": `\-\-gpus`, "planner-mfu.1": "MFU"} {
		if !strings.Contains(strings.ReplaceAll(string(pages[name]), `\fB`, ""), text) && !strings.Contains(string(pages[name]), "planner-suggest") {
			t.Errorf("%s lacks %q:\n%s", name, text, pages[name])
		}
	}
}

// TestCompletions: the four shells get a script, and values are offered.
func TestCompletions(t *testing.T) {
	files, err := completions(newRoot(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 {
		t.Errorf("%d scripts, want 4", len(files))
	}
	for name, text := range files {
		if !bytes.Contains(text, []byte("planner")) {
			t.Errorf("%s does not name planner", name)
		}
	}
	var out, errOut bytes.Buffer
	if status := run([]string{"__complete", "suggest", "--framework", "m"}, &out, &errOut); status != 0 || !strings.Contains(out.String(), "megatron") {
		t.Errorf("completion of --framework: status %d, %q", status, out.String())
	}
}
