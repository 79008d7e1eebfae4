package state_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"planner/internal/tui/state"
)

var update = flag.Bool("update", false, "write the cheat sheet of docs/EXPLORE.md")

// The cheat sheet of the page is that of the program.
func TestSheet(t *testing.T) {
	const page, begin, end = "../../../docs/EXPLORE.md", "<!-- keys: generated -->\n", "<!-- end of keys -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	keys, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the keys", page)
	}
	if keys == state.Sheet() {
		return
	}
	if !*update {
		t.Fatalf("%s is not of this program: go test ./internal/tui/state -run TestSheet -update", page)
	}
	if err := os.WriteFile(page, []byte(head+begin+state.Sheet()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
