package export

import (
	"os"
	"path/filepath"

	"planner/internal/catalog"
)

// WriteFile writes a file of the user's whole or not at all: into a temporary
// file beside it, which then takes its name. A link is followed; a device or a
// pipe is written to. Errors are *catalog.Error.
func WriteFile(path string, text []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return catalog.Errorf("%s: is a folder: want the path of a file", path)
	case err == nil && !info.Mode().IsRegular():
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return catalog.Errorf("%s: cannot be written: %v", path, cause(err))
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return catalog.Errorf("%s: cannot be written: %v", path, cause(err))
	}
	_, err = f.Write(text)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return catalog.Errorf("%s: cannot be written: %v", path, cause(err))
	}
	return nil
}

// Writable says whether a file of the user's could be written, so that nobody
// waits for what has nowhere to go: *catalog.Error, or nil. "" can.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return catalog.Errorf("%s: is a folder: want the path of a file", path)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return catalog.Errorf("%s: cannot be written: %v", path, cause(err))
	}
	f.Close()
	os.Remove(f.Name())
	return nil
}

// cause returns an error without the temporary name in it.
func cause(err error) error {
	if p, ok := err.(interface{ Unwrap() error }); ok && p.Unwrap() != nil {
		return p.Unwrap()
	}
	return err
}
