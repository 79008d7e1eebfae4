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
	known := slices.DeleteFunc(sortedKeys(tags(of)), func(k string) bool { return slices.Contains(everywhere, k) })
	for k := range d.root {
		if slices.Contains(known, k) || len(d.root) == 1 && Nearest(k, known) != "" {
			return false
		}
	}
	return true
}
