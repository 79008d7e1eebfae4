package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"planner/costmodel"
)

// modelFile reads a configuration or a model TOML of the user's; given names
// it in the errors that concern the reference and not the contents.
func modelFile(given, file string) (*costmodel.Model, error) {
	text, err := modelText(given, file)
	if err != nil {
		return nil, err
	}
	return parseModel(given, file, text)
}

func modelText(given, file string) ([]byte, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, Errorf("%s: no such file: give a preset, a size like 70b, or a path", given)
	}
	return ReadFile("config.json or model TOML", file)
}

// ModelFile returns the text of the file that ref, the value of --model, stands
// for, or nil where it is a preset or a size.
func ModelFile(ref string) ([]byte, error) {
	if !IsModelFile(ref) {
		return nil, nil
	}
	return modelText(fmt.Sprintf("--model %q", ref), ref)
}

// ParseModel reads the text of the config.json or model TOML called file.
func ParseModel(file string, text []byte) (*costmodel.Model, error) {
	return parseModel(fmt.Sprintf("--model %q", file), file, text)
}

func parseModel(given, file string, text []byte) (*costmodel.Model, error) {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, Errorf("%s: not text (NUL at byte %d): want a config.json or a model TOML", given, i)
	}
	name := filepath.ToSlash(file)
	if strings.HasSuffix(file, ".toml") || !startsObject(text) && !strings.HasSuffix(file, ".json") {
		return ParseModelTOML(name, text)
	}
	return ParseHF(name, text)
}

// startsObject reports whether text begins as JSON does.
func startsObject(text []byte) bool {
	t := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	return len(t) > 0 && t[0] == '{'
}

// ParseModelTOML reads one model, its keys at the top level, as strictly as
// Decode; name is the file for errors. The key like takes the sizes of a
// preset for what the file leaves out. The error is an *Error.
func ParseModelTOML(name string, text []byte) (*costmodel.Model, error) {
	d, err := newDecoder(name, text)
	if err != nil {
		return nil, err
	}
	if d.strange(reflect.TypeFor[modelSpec]()) {
		return nil, Errorf("%s: not a model TOML: none of its keys is a model's: want the sizes, or like = \"llama3.1-8b\" and what differs", name)
	}
	s := new(modelSpec)
	if like, ok := d.root["like"].(string); ok {
		base := presetName(like)
		if base == "" {
			return nil, Errorf("%s: like %q: no such preset: see planner models", name, like)
		}
		if s, err = presetSpec(base); err != nil {
			return nil, err
		}
		s.Title, s.Source, s.AsOf, s.Published = "", "", "", ""
	}
	d.assign("", d.root, pointed(s))
	if err := d.err(); err != nil {
		return nil, err
	}
	if s.Source == "" {
		s.Source = name
	}
	return s.build(name)
}
