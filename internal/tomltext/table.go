package tomltext

import (
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Value returns the value of a key in this table, tables below it left out
// unless they are written inline; nil where there is none.
func (t *Table) Value(key string) any {
	return t.find(key).value
}

// find returns the entry of a key, an empty one where there is none.
func (t *Table) find(key string) entry {
	for _, e := range t.entries {
		if e.key == key {
			return e
		}
	}
	return entry{}
}

// Set writes a key, in its old place if it has one, with a comment; "" keeps the
// one that it has. The value is a string, a bool, a number or a list of numbers.
func (t *Table) Set(key string, value any, comment string) {
	e := entry{key, line(key, value), value}
	if comment == "" {
		comment = t.Comment(key)
	}
	if comment != "" {
		e.text += " # " + comment
	}
	t.put(e)
}

func (t *Table) put(e entry) {
	for i := range t.entries {
		if t.entries[i].key == e.key {
			t.entries[i] = e
			return
		}
	}
	at := t.end()
	t.entries = slices.Insert(t.entries, at, e)
}

// end is the place after the last key: what follows belongs to the next table.
func (t *Table) end() int {
	n := len(t.entries)
	for n > 0 && t.entries[n-1].key == "" {
		n--
	}
	return n
}

// Append adds a string to a list of strings, unless the list has it.
func (t *Table) Append(key, item string) {
	given, _ := t.Value(key).([]any)
	if slices.Contains(given, any(item)) {
		return
	}
	given = append(slices.Clone(given), item)
	if text, ok := t.grown(key, item, given); ok {
		t.put(entry{key, text, given})
		return
	}
	text := key + " = [\n"
	for _, v := range given {
		text += "  " + literal(v) + ",\n"
	}
	t.put(entry{key, text + "]", given})
}

// Delete removes a key.
func (t *Table) Delete(key string) {
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return e.key == key })
}

// Prepend puts a comment at the head of the table, unless it is there.
func (t *Table) Prepend(comment string) {
	text := "# " + comment
	if !slices.ContainsFunc(t.entries, func(e entry) bool { return e.text == text }) {
		t.entries = slices.Insert(t.entries, 0, entry{text: text})
	}
}

// Table returns the table of a name below this one. One that is written inline
// gets a header of its own, and so does one that the file lacks.
func (t *Table) Table(name string) *Table {
	path := strings.TrimPrefix(t.path+"."+name, ".")
	from, to := t.reach()
	for _, x := range t.in.tables[from:to] {
		if x.path == path {
			return x
		}
	}
	child := &Table{path: path, header: "\n[" + path + "]", in: t.in}
	t.in.tables = slices.Insert(t.in.tables, t.place()+1, child)
	var inline []any
	for _, e := range t.entries {
		if e.key == name {
			inline = append(inline, e.value)
		}
	}
	t.Delete(name)
	child.entries = append(child.entries, t.entries[t.end():]...)
	t.entries = t.entries[:t.end()]
	for _, v := range inline {
		if m, ok := v.(map[string]any); ok {
			child.fill(m)
		}
	}
	return child
}

// reach returns the tables that can be below t: all, or those up to the next
// element of its array.
func (t *Table) reach() (from, to int) {
	if !t.element {
		return 0, len(t.in.tables)
	}
	from = t.place() + 1
	for to = from; to < len(t.in.tables) && t.in.tables[to].path != t.path; to++ {
	}
	return from, to
}

// fill writes decoded values, maps as tables of their own.
func (t *Table) fill(m map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if below, ok := m[key].(map[string]any); ok {
			t.Table(key).fill(below)
			continue
		}
		t.put(entry{key, line(key, m[key]), m[key]})
	}
}

// line is a key with its value as TOML.
func line(key string, value any) string {
	text, err := toml.Marshal(map[string]any{key: value})
	if err != nil {
		panic(err) // of our own numbers and strings, or of what was decoded
	}
	return strings.TrimRight(string(text), "\n")
}

func literal(value any) string {
	_, text, _ := strings.Cut(line("x", value), " = ")
	return text
}
