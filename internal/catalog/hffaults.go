package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// fail records a fault. Keys are read more than once, the stricter time last:
// a fault replaces an earlier one that begins with the same key and value. One of
// the same key and another value is left out: it is of what stands for a value
// that could not be read, or of a later element of a list.
func (c *hfConfig) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	given, _, _ := strings.Cut(text, ": ")
	of := func(earlier string) bool { return faultKey(strings.TrimPrefix(earlier, c.file+": ")) == faultKey(text) }
	i := slices.IndexFunc(c.faults, of)
	switch {
	case i < 0:
		c.faults = append(c.faults, c.file+": "+text)
	case strings.HasPrefix(c.faults[i], c.file+": "+given+": "):
		c.faults[i] = c.file + ": " + text
	}
}

// faultKey returns the key that a fault begins with; of a key that is missing, all
// that says so.
func faultKey(text string) string {
	given, _, _ := strings.Cut(text, ": ")
	if strings.HasPrefix(given, "no ") {
		return given
	}
	key, _, _ := strings.Cut(given, " ")
	return key
}
