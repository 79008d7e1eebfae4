package launch

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// said is how a rank begins the line with its error.
const said = "planner: "

// reasons collects why ranks failed, once each, from their standard error and
// passes on everything else.
type reasons struct {
	mu   sync.Mutex
	to   io.Writer // may be nil
	list []string
}

// rankLog is one rank's standard error.
type rankLog struct {
	*reasons
	rest []byte // an unfinished line
}

func (l *rankLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.rest = rest
		l.line(string(line))
	}
}

func (r *reasons) line(s string) {
	why, ok := strings.CutPrefix(s, said)
	if !ok {
		if r.to != nil {
			_, _ = io.WriteString(r.to, s+"\n")
		}
		return
	}
	for _, old := range r.list {
		if old == why {
			return
		}
	}
	r.list = append(r.list, why)
}

// first returns the first reason that any rank gave.
func (r *reasons) first() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return ""
	}
	return r.list[0]
}
