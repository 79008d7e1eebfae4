package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traceRun runs the command alone and returns what it wrote to standard error.
func traceRun(t *testing.T, args ...string) (string, string, error) {
	t.Helper()
	c := newTrace()
	var out, notes bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&notes)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append([]string{"--model", "llama3.1-8b", "--gpus", "8", "--global-batch", "32"}, args...))
	err := c.Execute()
	return out.String(), notes.String(), err
}

// TestTrace checks that a trace is written whole, over an older one, and that
// nothing else is left in the folder.
func TestTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "step.json")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, err := traceRun(t, "-o", file, "--layout", "tp=2,pp=2,zero=1")
	if err != nil || out != "" || !strings.Contains(notes, "ui.perfetto.dev") {
		t.Fatalf("output %q, notes %q, error %v", out, notes, err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !json.Valid(text) {
		t.Errorf("not valid JSON (%v)", err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files in the folder, want one (%v)", len(left), err)
	}
	if out, _, err := traceRun(t, "-o", "-", "--layout", "zero=3"); err != nil || !json.Valid([]byte(out)) {
		t.Errorf("standard output is not valid JSON (%v)", err)
	}
}

func TestTraceRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"--layout: missing":               {"-o", "-"},
		"--output: missing":               {"--layout", "tp=2"},
		"not divisible":                   {"-o", "-", "--layout", "tp=3,dp=1"},
		"cannot be written":               {"-o", filepath.Join(t.TempDir(), "no", "step.json"), "--layout", "tp=2"},
		`"tpp=2": unknown key "tpp": did`: {"-o", "-", "--layout", "tpp=2"},
	} {
		out, _, err := traceRun(t, args...)
		if err == nil || out != "" {
			t.Errorf("%v: output %d bytes, error %v", args, len(out), err)
		} else if want != "not divisible" && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %q, want %q", args, err, want)
		}
	}
}
