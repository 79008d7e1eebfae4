package catalog

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

type fault struct {
	path string
	line int
	text string
}

// err returns the faults in the order of the lines as an *Error, or nil.
func (d *decoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	sort.SliceStable(d.faults, func(i, j int) bool { return d.faults[i].line < d.faults[j].line })
	e := &Error{}
	for _, f := range d.faults {
		e.Faults = append(e.Faults, f.text)
	}
	return e
}

// follows reports whether a fault at path may follow from one that is known: of
// the same key, of a part of it, or of a key that is spelled wrong.
func (d *decoder) follows(path string) bool {
	if path == "" {
		return d.misspelt
	}
	return slices.Contains(d.meant, path) || slices.ContainsFunc(d.faults, func(f fault) bool { return f.path == path || strings.HasPrefix(f.path, path+".") })
}

// gives reports whether the file gives a value at path.
func (d *decoder) gives(path string) bool {
	var at any = d.root
	for _, key := range strings.Split(path, ".") {
		table, _ := at.(map[string]any)
		if at = table[key]; at == nil {
			return false
		}
	}
	return true
}

// fail records a fault at path, or at the nearest parent whose line is known,
// unless it may only follow from another.
func (d *decoder) fail(path, format string, args ...any) {
	if len(d.faults) == maxFaults || d.follows(path) {
		return
	}
	if d.lines == nil {
		d.lines = keyLines(d.text)
	}
	line := 0
	for p := path; ; p = parent(p) {
		if n, ok := d.lines[p]; ok || p == "" {
			line = n
			break
		}
	}
	where := d.file
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	d.faults = append(d.faults, fault{path, line, where + ": " + fmt.Sprintf(format, args...)})
}

func (d *decoder) unknown(path, key string, known []string) {
	d.misspelt = true
	if n := Nearest(key, known); n != "" {
		d.fail(path, "unknown key %q: did you mean %q?", key, n)
		d.meant = append(d.meant, join(parent(path), n))
		return
	}
	d.fail(path, "unknown key %q: want one of %s", key, strings.Join(known, ", "))
}

// unknownWord records that a value is none of the known words.
func (d *decoder) unknownWord(path, what, given string, known []string) {
	if n := Nearest(given, known); n != "" && given != "" {
		d.fail(path, "%s: unknown %q: did you mean %q?", what, given, n)
		return
	}
	d.fail(path, "%s: unknown %q: want one of %s", what, given, strings.Join(known, ", "))
}
