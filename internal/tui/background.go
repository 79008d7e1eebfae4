package tui

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
)

// patience bounds the wait for a terminal to tell its colours. lipgloss asks
// too, but waits ten times as long, with an empty screen.
const patience = 500 * time.Millisecond

// askBackground asks for the background (OSC 11), then for the place of the
// cursor, which terminals answer that know nothing of the first.
const askBackground = "\x1b]11;?\x1b\\\x1b[6n"

// darkBackground asks the terminal, while nothing else reads it, whether its
// ground is dark. Of one that does not say, COLORFGBG may tell; else it is.
func darkBackground(in, out *os.File) bool {
	if dark, told := isDark(answer(in, out)); told {
		return dark
	}
	ground := os.Getenv("COLORFGBG")
	ground = ground[strings.LastIndexByte(ground, ';')+1:]
	return ground != "7" && ground != "15" // the two whites
}

// answer returns what a terminal says to askBackground, "" if nothing in time.
func answer(in, out *os.File) string {
	was, err := term.MakeRaw(in.Fd())
	if err != nil {
		return ""
	}
	defer func() { _ = term.Restore(in.Fd(), was) }()
	r, err := cancelreader.NewReader(in)
	if err != nil {
		return ""
	}
	defer r.Close()
	defer time.AfterFunc(patience, func() { r.Cancel() }).Stop()
	if _, err := io.WriteString(out, askBackground); err != nil {
		return ""
	}
	text, buf := "", make([]byte, 256)
	for !strings.HasSuffix(text, "R") && len(text) < 1024 {
		n, err := r.Read(buf)
		if err != nil {
			break
		}
		text += string(buf[:n])
	}
	return text
}

// colour is a terminal's answer to OSC 11: red, green and blue in one to four
// hexadecimal digits each.
var colour = regexp.MustCompile(`\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})`)

// isDark reads a terminal's answer: dark is a lightness below the middle, as
// lipgloss has it.
func isDark(answer string) (dark, told bool) {
	m := colour.FindStringSubmatch(answer)
	if m == nil {
		return false, false
	}
	low, high := 1.0, 0.0
	for _, digits := range m[1:] {
		v, _ := strconv.ParseUint(digits, 16, 16)
		share := float64(v) / float64(int(1)<<(4*len(digits))-1)
		low, high = min(low, share), max(high, share)
	}
	return (low+high)/2 < 0.5, true
}
