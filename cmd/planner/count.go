package main

import (
	"strconv"

	"github.com/spf13/pflag"

	"planner/internal/ask"
)

// count is the value of a flag that takes tokens or sequences: 131072, 128Ki.
type count int

// countVar adds a flag of that kind; 0 stands for not given.
func countVar(f *pflag.FlagSet, to *int, name, usage string) {
	f.Var((*count)(to), name, usage)
}

// String implements pflag.Value.
func (c *count) String() string { return strconv.Itoa(int(*c)) }

// Set implements pflag.Value.
func (c *count) Set(text string) error {
	n, err := ask.ParseCount(text)
	*c = count(n)
	return err
}

// Type implements pflag.Value: the help shows a whole number.
func (c *count) Type() string { return "int" }
