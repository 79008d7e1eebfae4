// Package tomltext changes single values of a TOML file and leaves the rest as
// its author wrote it, comments and order included.
package tomltext

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Document is a TOML file cut into its tables, in the order of the text.
type Document struct{ tables []*Table }

// Table is what stands between one header and the next.
type Table struct {
	path    string // "gpu.fit"; "" for what stands before the first header
	header  string // as written
	element bool   // of an array: [[tier]]
	entries []entry
	in      *Document
}

// entry is one key with its value, or a blank or comment line.
type entry struct {
	key   string // the first of a dotted one; "" for a blank line or comment
	text  string
	value any
}

// Parse reads a TOML file.
func Parse(text string) (*Document, error) {
	if _, err := toml.Decode(text, new(map[string]any)); err != nil {
		return nil, err
	}
	d := &Document{}
	d.tables = []*Table{{in: d}}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for len(lines) > 0 {
		lines = lines[d.read(lines):]
	}
	return d, nil
}

// read takes the next line, or as many as its value has.
func (d *Document) read(lines []string) int {
	t := d.tables[len(d.tables)-1]
	switch line := strings.TrimSpace(lines[0]); {
	case line == "" || line[0] == '#':
		t.entries = append(t.entries, entry{text: lines[0]})
		return 1
	case line[0] == '[':
		d.tables = append(d.tables, d.header(lines[0]))
		return 1
	}
	for n := 1; n <= len(lines); n++ {
		text := strings.Join(lines[:n], "\n")
		var m map[string]any
		if _, err := toml.Decode(text, &m); err != nil {
			continue // the value goes on in the next line
		}
		for key, v := range m {
			t.entries = append(t.entries, entry{key, text, v})
		}
		return n
	}
	return len(lines)
}

// header reads the line that begins a table.
func (d *Document) header(line string) *Table {
	t := &Table{header: line, in: d}
	var m map[string]any
	_, _ = toml.Decode(line, &m) // the whole file has been decoded
	var path []string
	for len(m) > 0 {
		for key, v := range m { // the only one
			path = append(path, key)
			m, _ = v.(map[string]any)
			_, t.element = v.([]map[string]any)
		}
	}
	t.path = strings.Join(path, ".")
	return t
}

// String returns the file.
func (d *Document) String() string {
	var b strings.Builder
	for _, t := range d.tables {
		if t.header != "" {
			b.WriteString(t.header + "\n")
		}
		for _, e := range t.entries {
			b.WriteString(e.text + "\n")
		}
	}
	return b.String()
}

// Root returns what stands before the first header.
func (d *Document) Root() *Table { return d.tables[0] }

// Elements returns the tables of an array, such as every [[tier]]. Those that
// are written inline get headers of their own.
func (d *Document) Elements(name string) []*Table {
	inline, _ := d.Root().Value(name).([]any)
	d.Root().Delete(name)
	for _, v := range inline {
		m, _ := v.(map[string]any)
		t := &Table{path: name, header: "\n[[" + name + "]]", element: true, in: d}
		d.tables = append(d.tables, t)
		t.fill(m)
	}
	var out []*Table
	for _, t := range d.tables {
		if t.element && t.path == name {
			out = append(out, t)
		}
	}
	return out
}

// place returns where a table stands.
func (t *Table) place() int { return slices.Index(t.in.tables, t) }
