package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"planner/internal/tui/state"
)

// A tall screen shows the panel on a layout whole; no screen of the usual size
// cuts a line while it leaves another blank.
func TestPanelWraps(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		whole bool
	}{{120, 40, true}, {120, 36, false}, {80, 24, false}} {
		s := settled(state.New(config(t, "mixtral-8x7b", 64), c.w, c.h))
		look := newTheme()
		d := drawing{s: &s, t: &look}
		screen := ansi.Strip(d.screen())
		at := strings.Index(screen, "selected ─")
		if c.w < state.WideWidth {
			at = strings.LastIndex(screen, "────")
		}
		lines := strings.Split(screen[at:], "\n")
		cut, blank := 0, 0
		for _, l := range lines[1 : len(lines)-4] {
			text := strings.Trim(l, "│ ")
			if strings.HasSuffix(text, "…") {
				cut++
			}
			if text == "" {
				blank++
			}
		}
		if cut > 0 && (blank > 0 || c.whole) {
			t.Errorf("%d×%d: %d lines cut, %d blank:\n%s", c.w, c.h, cut, blank, strings.Join(lines, "\n"))
		}
	}
}
