// Package settings resolves saved defaults: a flag wins over an environment
// variable PLANNER_*, that over planner.toml of the working folder, that over
// planner/config.toml of the user's configuration folder.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"planner/internal/catalog"
)

// ProjectFile is the name of the project's defaults.
const ProjectFile = "planner.toml"

// Value is one saved default and where it came from.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Set is the saved defaults by key; keys are the names of flags.
type Set map[string]Value

// UserFile returns the path of the user's defaults, or "".
func UserFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "planner", "config.toml")
}

// Load reads every source for the given keys. A key that a file has and that
// is not among them is an error, as is a value that is no string, number or
// boolean.
func Load(keys []string) (Set, error) {
	s := Set{}
	for _, file := range []string{UserFile(), ProjectFile} {
		if err := s.file(file, keys); err != nil {
			return nil, err
		}
	}
	for _, k := range keys {
		if v, ok := os.LookupEnv(Variable(k)); ok && v != "" {
			s[k] = Value{Key: k, Value: v, Origin: "environment " + Variable(k)}
		}
	}
	return s, nil
}

// Variable returns the environment variable of a key: PLANNER_SEQ_LEN.
func Variable(key string) string {
	return "PLANNER_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

func (s Set) file(path string, keys []string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := catalog.ReadFile("defaults TOML", path)
	if err != nil {
		return err
	}
	raw, err := catalog.ParseTOML(path, text)
	if err != nil {
		return err
	}
	for k, v := range raw {
		if !known(k, keys) {
			if n := catalog.Nearest(k, keys); n != "" {
				return catalog.Errorf("%s: unknown key %q: did you mean %q?", path, k, n)
			}
			return catalog.Errorf("%s: unknown key %q: see planner config", path, k)
		}
		switch v.(type) {
		case string, int64, float64, bool:
			s[k] = Value{Key: k, Value: fmt.Sprint(v), Origin: path}
		default:
			return catalog.Errorf("%s: %s: not a plain value: want a string, number or true/false", path, k)
		}
	}
	return nil
}

func known(key string, keys []string) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}
