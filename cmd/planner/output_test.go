package main

import (
	"bytes"
	"io/fs"
	"syscall"
	"testing"
)

type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// A standard output that takes nothing is one line, whether the command or the
// table notices.
func TestFullOutput(t *testing.T) {
	for _, args := range [][]string{{"frameworks"}, {"completion", "bash"}, {"bench", "--transport", "goroutine", "-b", "8", "-e", "8", "--iters", "1"}, {"plan", "save", "--model", "8b", "--gpus", "8", "--layout", "tp=8"}} {
		var errOut bytes.Buffer
		status := run(args, full{}, &errOut)
		if want := "planner: standard output: cannot be written: no space left on device\n"; status != exitNo || errOut.String() != want {
			t.Errorf("%v: status %d, %q, want %q", args, status, errOut.String(), want)
		}
	}
}
