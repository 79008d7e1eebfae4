package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file keeps its mode, a link its target; what may not be written is left as
// it is, and nothing is left behind.
func TestWriteFileKeepsMode(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.toml"), filepath.Join(dir, "link")
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o664} {
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(file, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, want %v (%v)", info.Mode(), mode, err)
		}
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("by link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	want := file + ": cannot be written: permission denied"
	for _, err := range []error{WriteFile(file, []byte("no")), Writable(file)} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "by link" {
		t.Errorf("holds %q", text)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) != 2 {
		t.Errorf("left behind: %s", strings.Join(names, ", "))
	}
}
