package tui

import "testing"

// Answers as xterm (four digits), rxvt (two) and kitty give them for the grounds
// of Solarized, white and black; the last has no answer to OSC 11.
func TestIsDark(t *testing.T) {
	for answer, want := range map[string][2]bool{
		"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[1;1R": {false, true},
		"\x1b]11;rgb:0000/2b2b/3636\x07\x1b[1;1R":   {true, true},
		"\x1b]11;rgb:ff/ff/ff\x1b\\":                {false, true},
		"\x1b]11;rgba:0000/0000/0000/ffff\x1b\\":    {true, true},
		"\x1b[12;40R":                               {false, false},
		"":                                          {false, false},
	} {
		if dark, told := isDark(answer); dark != want[0] || told != want[1] {
			t.Errorf("isDark(%q) = %v, %v, want %v", answer, dark, told, want)
		}
	}
}
