// Command planner plans the parallel layout of LLM training: how to split a
// model over a cluster, how fast it will run, and how we know.
//
//	planner suggest --model 70b --gpus 1024
//	planner explain --model 70b --gpus 1024 --layout tp=8,pp=4,zero=1
//
// Standard output holds the data alone; notes and progress go to standard
// error. The exit status is 0 when done, 1 when the answer is no (nothing fits,
// a check failed or was inconclusive), 2 when the input is wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/verify/launch"
)

// Exit statuses: see planner help exit-codes.
const (
	exitDone  = 0
	exitNo    = 1
	exitUsage = 2
)

func main() {
	launch.MaybeWorker() // a rank of `planner bench` is this program started again
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line.
func run(args []string, out, errOut io.Writer) int {
	ctx, stop := launch.UntilSignalled(context.Background())
	defer stop()
	checked := &checkedWriter{w: out}
	root := newRoot(checked)
	nameOrigins(root)
	root.SetArgs(args)
	root.SetErr(errOut)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	typed := len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	if found, _, _ := root.Find(args); found == root && typed {
		return report(unknownCommand(root, args), errOut)
	}
	err := root.ExecuteContext(ctx)
	if checked.err != nil { // whatever else failed did so for want of it
		err = checked.err
	}
	return report(err, errOut)
}

// checkedWriter remembers the first write that failed, which table printers do
// not report.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err == nil {
		return n, nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // without the system's own name for the stream
	}
	err = fmt.Errorf("standard output: cannot be written: %w", err)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// noError ends a command with status 1 after it has printed its answer.
type noError struct{ reason string }

func (e *noError) Error() string { return e.reason }

// report prints an error, a line each fault, and returns the exit status.
func report(err error, errOut io.Writer) int {
	var no *noError
	switch {
	case err == nil:
		return exitDone
	case err.Error() == context.Canceled.Error(): // no one has said it better
		fmt.Fprintln(errOut, "planner: interrupted")
		return exitNo
	case errors.As(err, &no):
		if no.reason != "" {
			fmt.Fprintln(errOut, "planner:", no.reason)
		}
		return exitNo
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(errOut, "planner:", strings.TrimRight(line, "\n"))
	}
	var fault *catalog.Error
	if errors.As(err, &fault) {
		return exitUsage
	}
	return exitNo
}
