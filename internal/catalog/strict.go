// Package catalog finds and reads what the planner is given: models, hardware
// and clusters, by preset name or from the user's files.
package catalog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// maxFile bounds the input files; a real one has a few kilobytes.
const maxFile = 8 << 20

// ReadFile reads a file of the user's; what names the kind of file in errors.
func ReadFile(what, path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, Errorf("%s: no such file: want the path of a %s", path, what)
	case err != nil:
		return nil, Errorf("%s: cannot be read: %v", path, errors.Unwrap(err))
	case info.IsDir():
		return nil, Errorf("%s: is a folder: want the path of a %s", path, what)
	case info.Size() > maxFile:
		return nil, Errorf("%s: %d bytes: too large for a %s: want at most %d", path, info.Size(), what, maxFile)
	case !info.Mode().IsRegular() && info.Mode()&os.ModeNamedPipe == 0:
		return nil, Errorf("%s: a device: want the path of a %s", path, what)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Errorf("%s: cannot be read: %v", path, errors.Unwrap(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, Errorf("%s: cannot be read: %v", path, errors.Unwrap(err))
	case len(text) > maxFile:
		return nil, Errorf("%s: too large for a %s: want at most %d bytes", path, what, maxFile)
	}
	return text, nil
}

// Decode reads TOML into the struct that v points to. It is strict: unknown
// keys, values of the wrong type and units that do not parse are all reported,
// each with file:line, in one *Error. Fields that the text leaves out keep
// their value, so that a caller can fill in defaults first. A field of type
// any keeps the raw value.
//
// Fields are named by their toml tag; those without one are not read.
func Decode(file string, text []byte, v any) error {
	d, err := newDecoder(file, text)
	if err != nil {
		return err
	}
	d.assign("", d.root, pointed(v))
	return d.err()
}

// DecodeKind is Decode for a file that may be of another kind: kind and want
// say in one line what belongs in it, where none of its keys does.
func DecodeKind(file string, text []byte, v any, kind, want string) error {
	d, err := newDecoder(file, text)
	if err != nil {
		return err
	}
	if d.strange(pointed(v).Type()) {
		return Errorf("%s: not a %s: none of its keys is one of a %s: want %s", file, kind, kind, want)
	}
	d.assign("", d.root, pointed(v))
	return d.err()
}

// DecodeKnown reads the keys that v has of another tool's TOML, and leaves the
// others. It returns the whole file as parsed. The error is an *Error.
func DecodeKnown(file string, text []byte, v any) (map[string]any, error) {
	d, err := newDecoder(file, text)
	if err != nil {
		return nil, err
	}
	d.loose = true
	d.assign("", d.root, pointed(v))
	return d.root, d.err()
}

// newDecoder parses the text. The error is an *Error.
func newDecoder(file string, text []byte) (*decoder, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, Errorf("%s: empty: want TOML", file)
	}
	root, err := ParseTOML(file, text)
	if err != nil {
		return nil, err
	}
	return &decoder{file: file, root: root, text: text}, nil
}

// ParseTOML parses a text that may be empty. The error is an *Error.
func ParseTOML(file string, text []byte) (map[string]any, error) {
	if err := checkText(file, text); err != nil {
		return nil, err
	}
	root := make(map[string]any)
	if _, err := toml.Decode(string(text), &root); err != nil {
		return nil, tomlFault(file, err)
	}
	return root, nil
}

// checkText refuses before the parser sees it what is no text, or none that it
// takes in reasonable time.
func checkText(file string, text []byte) error {
	switch {
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		return Errorf("%s: not a text file: want TOML in UTF-8", file)
	case len(text) > maxTOML:
		return Errorf("%s: %d bytes: too large for TOML: want at most %d", file, len(text), maxTOML)
	}
	return checkDepth(file, text)
}

// tomlFault turns the parser's error into one line.
func tomlFault(file string, err error) error {
	var p toml.ParseError
	if errors.As(err, &p) {
		msg := p.Message
		if msg == "" {
			msg = p.Error()
		}
		return Errorf("%s:%d: not valid TOML: %s", file, p.Position.Line, oneLine(msg))
	}
	return Errorf("%s: not valid TOML: %s", file, oneLine(err.Error()))
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
