package export

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"planner/internal/catalog"
)

// WriteFile writes a file of the user's whole or not at all: into a temporary
// file beside it, which then takes its name, and its mode where it is there
// already. A link is followed; a device or a pipe is written to. Errors are
// *catalog.Error.
func WriteFile(path string, text []byte) error {
	path, info, err := existing(path)
	switch {
	case err != nil:
		return err
	case info != nil && !info.Mode().IsRegular():
		return unwritten(path, os.WriteFile(path, text, 0o644))
	}
	f, err := temporary(path)
	if err != nil {
		return unwritten(path, err)
	}
	_, err = f.Write(text)
	if info != nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return unwritten(path, err)
}

// Writable says whether a file of the user's could be written, so that nobody
// waits for what has nowhere to go: *catalog.Error, or nil. "" can.
func Writable(path string) error {
	if IsOutput(path) {
		return nil
	}
	path, info, err := existing(path)
	if err != nil || info != nil && !info.Mode().IsRegular() {
		return err
	}
	f, err := temporary(path)
	if err != nil {
		return unwritten(path, err)
	}
	f.Close()
	os.Remove(f.Name())
	return nil
}

// existing follows a link and refuses a folder and a file without write
// permission, which a new file in its place would pass by. The info is nil
// where there is nothing yet.
func existing(path string) (string, fs.FileInfo, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return path, nil, nil
	case info.IsDir():
		return path, nil, catalog.Errorf("%s: is a folder: want the path of a file", path)
	case !info.Mode().IsRegular():
		return path, info, nil
	case info.Mode().Perm()&0o222 == 0: // of root's every file can be opened
		return path, nil, unwritten(path, fs.ErrPermission)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return path, nil, unwritten(path, err)
	}
	f.Close()
	return path, info, nil
}

// temporary opens a new file beside path, as open to others as the umask says.
func temporary(path string) (*os.File, error) {
	name := fmt.Sprintf(".%s.%x", filepath.Base(path), rand.Uint64())
	return os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func unwritten(path string, err error) error {
	if err == nil {
		return nil
	}
	return catalog.Errorf("%s: cannot be written: %v", path, cause(err))
}

// IsOutput reports whether the name of a file stands for standard output.
func IsOutput(path string) bool { return path == "" || path == "-" }

// cause returns an error without the temporary name in it.
func cause(err error) error {
	if p, ok := err.(interface{ Unwrap() error }); ok && p.Unwrap() != nil {
		return p.Unwrap()
	}
	return err
}
