package show

import (
	"slices"
	"testing"
)

func TestWrapList(t *testing.T) {
	items := []string{"1b = a", "2b = bb", "3b = ccc"}
	for width, want := range map[int][]string{
		100: {"1b = a · 2b = bb · 3b = ccc"},
		16:  {"1b = a · 2b = bb", "3b = ccc"},
		15:  {"1b = a", "2b = bb", "3b = ccc"},
		1:   items,
	} {
		if got := wrapList(items, width); !slices.Equal(got, want) {
			t.Errorf("%d cells: %q, want %q", width, got, want)
		}
	}
}
