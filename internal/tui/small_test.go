package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"planner/internal/tui/state"
)

// A terminal that is too small is told what would do, in full where it has the
// lines, and never more of them than it has.
func TestTooSmall(t *testing.T) {
	for _, tt := range []struct {
		w, h int
		want string
	}{
		{80, 10, "80×10: too small: make the terminal 60×16 or larger"},
		{40, 10, "40×10: too small: make the terminal 60×16 or larger"},
		{12, 10, "12×10: too small: make the terminal 60×16 or larger"},
		{12, 1, "12×1: too"},
	} {
		d := drawing{s: &state.State{W: tt.w, H: tt.h}}
		lines := strings.Split(d.tooSmall(), "\n")
		for i, l := range lines {
			if ansi.StringWidth(l) > tt.w {
				t.Errorf("%d×%d: %q is wider", tt.w, tt.h, l)
			}
			lines[i] = strings.TrimSpace(l)
		}
		if got := strings.Join(lines, " "); got != tt.want || len(lines) > tt.h {
			t.Errorf("%d×%d: %q on %d lines, want %q", tt.w, tt.h, got, len(lines), tt.want)
		}
	}
}
