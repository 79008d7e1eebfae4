package catalog

import (
	"bytes"
	"strings"
	"unicode"
)

// A real TOML file has a few kilobytes and keys of three parts. The parser takes
// time in the square of a key's parts, so that these are bounded before it runs.
const (
	maxTOML   = 1 << 20
	maxNested = 32
	maxFaults = 100 // of one file: a file with more is of another kind
)

// checkDepth refuses keys of too many parts, and lists and inline tables too
// deep in each other.
func checkDepth(file string, text []byte) error {
	depth, parts, line := 0, 1, 1
	for len(text) > 0 {
		n := token(text)
		switch text[0] {
		case '[', '{':
			depth, parts = depth+1, 1
		case ']', '}':
			depth, parts = max(0, depth-1), 1
		case ',', '=', '\n':
			parts = 1
		case '.':
			parts++
		}
		if depth > maxNested || parts > maxNested {
			return Errorf("%s:%d: a key or list of more than %d levels: want TOML with a few", file, line, maxNested)
		}
		line += bytes.Count(text[:n], []byte("\n"))
		text = text[n:]
	}
	return nil
}

// token returns the length of what text begins with: a string or a comment as a
// whole, else one byte.
func token(text []byte) int {
	end, escapes := "", text[0] == '"'
	switch {
	case bytes.HasPrefix(text, []byte(`"""`)), bytes.HasPrefix(text, []byte(`'''`)):
		end = string(text[:3])
	case text[0] == '"', text[0] == '\'':
		end = string(text[:1])
	case text[0] == '#':
		end = "\n"
	default:
		return 1
	}
	for i := len(end); i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case len(end) == 1 && text[i] == '\n':
			return i // the end of a comment, or of a string that is not closed
		case bytes.HasPrefix(text[i:], []byte(end)):
			return i + len(end)
		}
	}
	return len(text)
}

// control returns the first character of a text that would move a terminal's
// cursor or change its colours; -1 for none. Only notes may have several lines.
func control(key, text string) rune {
	for _, r := range text {
		if unicode.IsControl(r) && (key == "name" || key == "title" || !strings.ContainsRune("\n\t", r)) {
			return r
		}
	}
	return -1
}
