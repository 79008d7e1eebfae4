package catalog

import (
	"reflect"
	"slices"
)

// everywhere are keys that files of every kind have, and so tell none.
var everywhere = []string{"name", "title", "source", "as_of", "note", "notes", "unchecked", "assumed", "confidence"}

// strange reports whether the file seems to be of another kind: none of its keys
// at the top level is of the struct alone, nor is it one key misspelt.
func (d *decoder) strange(of reflect.Type) bool {
	known, own := own(tags(of)), own(d.root)
	for _, k := range own {
		if slices.Contains(known, k) || len(own) == 1 && Nearest(k, known) != "" {
			return false
		}
	}
	return true
}

// own returns the keys that not every kind of file has.
func own[V any](m map[string]V) []string {
	return slices.DeleteFunc(sortedKeys(m), func(k string) bool { return slices.Contains(everywhere, k) })
}
