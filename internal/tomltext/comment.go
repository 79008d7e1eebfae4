package tomltext

import (
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// Comment returns what is written behind the value of a key, without its #.
func (t *Table) Comment(key string) string {
	text := t.find(key).text
	for i := range text {
		if text[i] == '#' && decodes(text[:i], key, t.Value(key)) && !strings.Contains(text[i:], "\n") {
			return strings.TrimSpace(text[i+1:])
		}
	}
	return ""
}

// grown writes a list with one more item before its last bracket, and the rest of
// it as it is; false where that is not how the list ends.
func (t *Table) grown(key, item string, want []any) (string, bool) {
	text := t.find(key).text
	for i := len(text) - 1; i > 0; i-- {
		if text[i] != ']' {
			continue
		}
		head := strings.TrimRight(text[:i], " \n")
		before, after := " ", ""
		if strings.Contains(text[:i], "\n") {
			before, after = "\n  ", ",\n"
		}
		for _, comma := range []string{"", ","} {
			if s := head + comma + before + literal(item) + after + text[i:]; decodes(s, key, want) {
				return s, true
			}
		}
	}
	return "", false
}

// decodes reports whether a text is a key with a value.
func decodes(text, key string, want any) bool {
	var m map[string]any
	_, err := toml.Decode(text, &m)
	return err == nil && reflect.DeepEqual(m[key], want)
}
