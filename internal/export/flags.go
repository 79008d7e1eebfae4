package export

import (
	"fmt"
	"strings"
)

// flagList collects command-line flags, one a line.
type flagList struct{ lines []string }

// add appends a flag and its value, if any.
func (f *flagList) add(name string, value ...any) {
	line := "--" + name
	for _, v := range value {
		line += fmt.Sprintf(" %v", v)
	}
	f.lines = append(f.lines, line)
}

// when appends a flag without value if on holds.
func (f *flagList) when(on bool, name string) {
	if on {
		f.add(name)
	}
}

// above appends a number larger than least.
func (f *flagList) above(least int, name string, value int) {
	if value > least {
		f.add(name, value)
	}
}

func (f *flagList) String() string { return strings.Join(f.lines, "\n") + "\n" }
