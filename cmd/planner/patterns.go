package main

import "strings"

// patterns is the value of a flag that gathers what it is given, kept as one text
// with the patterns apart: constraints are compared as a whole.
type patterns string

// String implements pflag.Value.
func (p *patterns) String() string { return string(*p) }

// Set implements pflag.Value.
func (p *patterns) Set(text string) error {
	if text == "" {
		return errEmpty
	}
	return p.Append(text)
}

// Type implements pflag.Value.
func (p *patterns) Type() string { return "stringArray" }

// Append implements pflag.SliceValue.
func (p *patterns) Append(text string) error {
	*p = patterns(strings.Join(append(p.GetSlice(), text), ";"))
	return nil
}

// Replace implements pflag.SliceValue.
func (p *patterns) Replace(texts []string) error {
	*p = patterns(strings.Join(texts, ";"))
	return nil
}

// GetSlice implements pflag.SliceValue.
func (p *patterns) GetSlice() []string {
	if *p == "" {
		return nil
	}
	return strings.Split(string(*p), ";")
}
