package catalog

import (
	"strings"
	"testing"
)

// What would keep the parser busy for a minute, or fill its stack, is refused
// before it; dots and brackets of strings and comments are none.
func TestLimitsOfTOML(t *testing.T) {
	const deep = "a key or list of more than 32 levels: want TOML with a few"
	for name, tt := range map[string]struct{ text, want string }{
		"key":      {strings.Repeat("a.", 100_000) + "a = 1\n", "c.toml:1: " + deep},
		"quoted":   {strings.Repeat(`"a".`, 100_000) + "a = 1\n", "c.toml:1: " + deep},
		"header":   {"x = 1\n[" + strings.Repeat("a.", 33) + "a]\n", "c.toml:2: " + deep},
		"list":     {"\nx = " + strings.Repeat("[", 100_000), "c.toml:2: " + deep},
		"tables":   {"x = " + strings.Repeat("{a=", 100_000), "c.toml:1: " + deep},
		"size":     {"# " + strings.Repeat("x", 1<<20), "c.toml: 1048578 bytes: too large for TOML: want at most 1048576"},
		"not text": {"\xff\xfe", "c.toml: not a text file: want TOML in UTF-8"},
		"string":   {`x = "` + strings.Repeat(".", 99) + `\"` + strings.Repeat("[", 99) + `"`, ""},
		"literal":  {`x = '` + strings.Repeat("[", 99) + `\'`, ""},
		"lines":    {"x = '''\n" + strings.Repeat(".", 99) + "\n'''", ""},
		"comment":  {"x = 1 # " + strings.Repeat("[", 99) + "\ny = [1.5, 2.5]", ""},
		"thirty":   {strings.Repeat("a.", 30) + "a = 1", ""},
		"nothing":  {"", ""},
	} {
		got := ""
		if _, err := ParseTOML("c.toml", []byte(tt.text)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %.100q, want %q", name, got, tt.want)
		}
	}
}

// What a terminal would obey is in no name; notes may have lines.
func TestControlCharacters(t *testing.T) {
	type named struct {
		Title string `toml:"title"`
		Note  string `toml:"note"`
	}
	for text, want := range map[string]string{
		`title = "a\u001b[31mb"`: "c.toml:1: title: holds the control character U+001B: want plain text",
		`title = "a\nb"`:         "c.toml:1: title: holds the control character U+000A: want plain text",
		`note = "a\u009bb"`:      "c.toml:1: note: holds the control character U+009B: want plain text",
		`note = "a\nb\tc"`:       "",
		`title = "Größe ×8"`:     "",
	} {
		got := ""
		if err := Decode("c.toml", []byte(text), &named{}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
