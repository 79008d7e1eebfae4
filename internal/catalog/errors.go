package catalog

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Error is a fault of what the user gave; commands turn it into exit status 2.
// Each of Faults is one line, "what was given: what is wrong: what would do".
type Error struct {
	Faults []string
}

// Error joins the faults, one per line.
func (e *Error) Error() string { return strings.Join(e.Faults, "\n") }

// Errorf returns an *Error of one fault.
func Errorf(format string, args ...any) error {
	return &Error{Faults: []string{fmt.Sprintf(format, args...)}}
}

// Unknown returns the *Error for a name that is not among the known ones. It
// offers the nearest, or says where they are listed.
func Unknown(what, given string, known []string, list string) error {
	if n := Nearest(given, known); n != "" {
		return Errorf("unknown %s %q: did you mean %q?", what, given, n)
	}
	return Errorf("unknown %s %q: see %s", what, given, list)
}

// Nearest returns the known word within max(2, len/3) edits of word, one of a
// word of three letters or fewer, or "". Of words equally near, that with the
// longer common beginning wins; a word that is only a beginning finds the first
// known one that starts so.
func Nearest(word string, known []string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" {
		return ""
	}
	edits := max(2, len(word)/3)
	if len(word) <= 3 {
		edits = 1
	}
	best, begin, near := edits+1, 0, ""
	for _, k := range known {
		low := strings.ToLower(k)
		d, b := levenshtein.ComputeDistance(word, low), beginning(word, low)
		if d < best || d == best && near != "" && b > begin {
			best, begin, near = d, b, k
		}
	}
	for _, k := range known {
		if near == "" && len(word) >= 3 && strings.HasPrefix(strings.ToLower(k), word) {
			near = k
		}
	}
	return near
}

// beginning returns the length of what a and b begin with in common.
func beginning(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
