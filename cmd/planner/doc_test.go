package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"planner/internal/doctest"
)

// TestDocs runs every planner command that a page shows, each page in a folder
// of its own, so that a later command reads what an earlier one wrote.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documentation")
	}
	bin := planner(t)
	pages, _ := filepath.Glob("../../docs/*.md")
	pages = append(pages, "../../README.md")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		commands := doctest.Parse(filepath.Base(page), string(text), "planner")
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			dir := t.TempDir()
			for _, c := range commands {
				out, errOut, status := shell(t, bin, dir, c.Text)
				if err := c.Check(out, errOut, status); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// planner returns a folder in which the test binary is called planner.
func planner(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "planner")); err != nil {
		t.Fatal(err)
	}
	return bin
}

func shell(t *testing.T, bin, dir, text string) (out, errOut string, status int) {
	t.Helper()
	c := exec.Command("sh", "-c", text)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "NO_COLOR=1")
	var o, e bytes.Buffer
	c.Stdout, c.Stderr = &o, &e
	var exit *exec.ExitError
	switch err := c.Run(); {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return o.String(), e.String(), status
}
