package doctest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = "# Title\n\n```console\n$ tool one \\\n    --two\nfirst\n…\n$ tool bad\ntool: bad\nexit status 2\n$ other thing\nignored\n```\n\n" +
	"```console norun\n$ tool never\n```\n\n```sh\n$ tool never\n```\n\n```console\n$ go run ./cmd/tool quiet\n```\n"

func TestParse(t *testing.T) {
	want := []Command{
		{File: "a.md", Line: 4, Text: "tool one --two", Output: []string{"first", "…"}},
		{File: "a.md", Line: 8, Text: "tool bad", Output: []string{"tool: bad"}, Status: 2},
		{File: "a.md", Line: 24, Text: "tool quiet"},
	}
	if diff := cmp.Diff(want, Parse("a.md", document, "tool")); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, shown, out string
		ok               bool
	}{
		{"equal", "a\nb", "a\nb\n", true},
		{"spaces at the end", "a\nb", "a  \nb\n", true},
		{"more printed", "a", "a\nb\n", false},
		{"less printed", "a\nb", "a\n", false},
		{"rest left out", "a\n…", "a\nb\nc\n", true},
		{"nothing left", "a\n…", "a\n", true},
		{"middle left out", "a\n…\nd", "a\nb\nc\nd\n", true},
		{"repeated line", "a\n…\nd", "a\nd\nc\nd\n", true},
		{"middle without the end", "a\n…\nd", "a\nb\nc\n", false},
		{"line cut", "ab…\nc", "abcd\nc\n", true},
		{"line cut at another", "ax…\nc", "abcd\nc\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := Command{Output: strings.Split(c.shown, "\n")}
			if err := cmd.Check(c.out, "", 0); (err == nil) != c.ok {
				t.Errorf("%v, want a match: %v", err, c.ok)
			}
		})
	}
	cmd := Command{Status: 2, Output: []string{"wrong"}}
	if err := cmd.Check("", "wrong\n", 2); err != nil {
		t.Error(err)
	}
	if err := cmd.Check("", "wrong\n", 1); err == nil {
		t.Error("another exit status passed")
	}
}

// Of a shape the words count, not the figures and the room they take.
func TestShape(t *testing.T) {
	shown := "```console shape\n$ tool table\n #  step s more\n 1   7.36 sel\n…\n```\n"
	cmd := Parse("a.md", shown, "tool")[0]
	for out, ok := range map[string]bool{
		" #  step s more\n 1   7.36 sel\nrest\n": true,
		"#  step s more\n1  1,007.4 sel\n":       true,
		" #  step s more\n 1   7.36 full\n":      false,
		" #  step s MFU more\n 1   7.36 sel\n":   false,
	} {
		if err := cmd.Check(out, "", 0); (err == nil) != ok {
			t.Errorf("%q: %v, want a match: %v", out, err, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(document)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Parse("a.md", text, "tool") {
			if c.Line < 1 || !strings.HasPrefix(c.Text, "tool") {
				t.Errorf("%+v", c)
			}
		}
	})
}
