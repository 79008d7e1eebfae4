package main

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// terminal returns the file of a stream that a person reads; nil where it goes
// to a file or a pipe.
func terminal(w io.Writer) *os.File {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(f.Fd()) {
		return f
	}
	return nil
}

// columnsOf returns the width of a terminal, and 100 of any other stream.
func columnsOf(w io.Writer) int {
	if f := terminal(w); f != nil {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			return width
		}
	}
	return 100
}
