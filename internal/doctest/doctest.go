// Package doctest finds the commands that documentation shows and holds what
// they print against what it says. It reads fenced blocks of kind console:
//
//	```console
//	$ planner models show llama3.1-8b
//	Llama-3.1-8B · 8,030,261,248 parameters …
//	…
//	```
//
// A line of … stands for any lines, one at the end for the rest, and … at the
// end of a line for the rest of that line. A command without lines below it is
// held to its exit status alone, which is 0 unless the last line is "exit
// status N"; what such a command says on standard error is part of the output.
// Blocks of kind "console norun" are not run; those of kind "console shape" are
// held to the words of a line, not to its figures and spaces.
package doctest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Command is one command of a document and what it should do.
type Command struct {
	File   string
	Line   int // of the command, from 1
	Text   string
	Output []string // nil: not shown
	Status int
	Shape  bool // any figures will do
}

// String names the command as file:line.
func (c *Command) String() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

var status = regexp.MustCompile(`^exit status (\d+)$`)

// Parse returns the commands of the console blocks of a Markdown document.
// Those of another program than the one named are left out; "go run
// ./cmd/NAME" counts as NAME.
func Parse(file, text, program string) []Command {
	var out []Command
	inside, run, shape := false, false, false
	var current *Command
	for i, line := range strings.Split(text, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case !inside && strings.HasPrefix(trimmed, "```"):
			shape = trimmed == "```console shape"
			inside, run = true, shape || trimmed == "```console"
			current = nil
		case inside && trimmed == "```":
			inside, current = false, nil
		case !inside || !run:
		case strings.HasPrefix(line, "$ "):
			current = nil
			if c, ok := command(strings.TrimPrefix(line, "$ "), program); ok {
				out = append(out, Command{File: file, Line: i + 1, Text: c, Shape: shape})
				current = &out[len(out)-1]
			}
		case current != nil && strings.HasSuffix(current.Text, `\`):
			current.Text = strings.TrimSuffix(current.Text, `\`) + trimmed
		case current != nil:
			current.take(line)
		}
	}
	return out
}

// command returns the text to run, if it is of the program.
func command(text, program string) (string, bool) {
	text = strings.Replace(text, "go run ./cmd/"+program+" ", program+" ", 1)
	return text, text == program || strings.HasPrefix(text, program+" ")
}

func (c *Command) take(line string) {
	if m := status.FindStringSubmatch(line); m != nil {
		c.Status, _ = strconv.Atoi(m[1])
		return
	}
	c.Output = append(c.Output, line)
}

// Check holds a run against the command. The error shows the first line that
// differs.
func (c *Command) Check(stdout, stderr string, exit int) error {
	if exit != c.Status {
		return fmt.Errorf("%s: %s\nexit status %d, want %d\n%s", c, c.Text, exit, c.Status, stderr)
	}
	want := trimmed(c.Output)
	if want == nil {
		return nil
	}
	got := stdout
	if c.Status != 0 {
		got += stderr
	}
	wanted, printed := want, lines(got)
	if c.Shape {
		wanted, printed = shapes(want), shapes(printed)
	}
	if at, ok := match(wanted, printed); !ok {
		return fmt.Errorf("%s: %s\nprints\n%s\nwhich has no line for\n%s", c, c.Text, got, want[at])
	}
	return nil
}

var figure = regexp.MustCompile(`[0-9][0-9.,]*`)

// shapes returns lines with one figure for all and one space between words.
func shapes(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Join(strings.Fields(figure.ReplaceAllString(l, "0")), " ")
	}
	return out
}

// trimmed leaves out empty lines before the next command.
func trimmed(output []string) []string {
	n := len(output)
	for n > 0 && strings.TrimSpace(output[n-1]) == "" {
		n--
	}
	if n == 0 {
		return nil
	}
	return output[:n]
}

// lines splits an output, without the end of its last line and the spaces that
// editors strip.
func lines(text string) []string {
	out := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out
}

const ellipsis = "…"

// match holds lines against a pattern. When they do not match, it returns the
// furthest line of the pattern that was reached.
func match(want, got []string) (at int, ok bool) {
	for i, w := range want {
		if strings.TrimSpace(w) == ellipsis {
			if i == len(want)-1 {
				return i, true
			}
			furthest := i + 1
			for skip := range len(got) + 1 {
				n, ok := match(want[i+1:], got[skip:])
				if ok {
					return i, true
				}
				furthest = max(furthest, i+1+n)
			}
			return furthest, false
		}
		if len(got) == 0 || !same(w, got[0]) {
			return i, false
		}
		got = got[1:]
	}
	return len(want) - 1, len(got) == 0
}

// same compares a line, up to an … at the end of what is wanted.
func same(want, got string) bool {
	want = strings.TrimRight(want, " ")
	if before, cut := strings.CutSuffix(want, ellipsis); cut {
		return strings.HasPrefix(got, strings.TrimRight(before, " "))
	}
	return want == got
}
