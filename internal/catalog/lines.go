package catalog

import (
	"strconv"
	"strings"
)

// keyLines finds the line of each key of a TOML text that is known to parse,
// by dotted path; elements of arrays of tables are numbered from 0
// ("tier.1.bandwidth"). The parser reports no positions of its own. Keys of
// inline tables are not listed: their faults are shown at the line of the
// table.
func keyLines(text []byte) map[string]int {
	s := scanner{lines: make(map[string]int), count: make(map[string]int)}
	for i, line := range strings.Split(string(text), "\n") {
		s.line(strings.TrimSpace(line), i+1)
	}
	return s.lines
}

type scanner struct {
	lines map[string]int
	count map[string]int // elements seen of each array of tables
	table string         // path of the table that the line is in
	until string         // closing quotes of a multi-line string, or ""
	depth int            // open brackets of a multi-line array
}

func (s *scanner) line(line string, n int) {
	switch {
	case s.until != "":
		if strings.Contains(line, s.until) {
			s.until = ""
		}
	case s.depth > 0:
		s.depth += brackets(line)
	case line == "" || line[0] == '#':
	case strings.HasPrefix(line, "[["):
		name := s.resolve(keyPath(line[2:]))
		s.table = join(name, strconv.Itoa(s.count[name]))
		s.count[name]++
		s.mark(s.table, n)
	case line[0] == '[':
		s.table = s.resolve(keyPath(line[1:]))
		s.mark(s.table, n)
	default:
		s.pair(line, n)
	}
}

// pair notes a "key = value" line and whether its value goes on.
func (s *scanner) pair(line string, n int) {
	path := keyPath(line)
	s.mark(join(s.table, strings.Join(path, ".")), n)
	_, value, _ := strings.Cut(line, "=")
	value = strings.TrimSpace(value)
	for _, q := range []string{`"""`, `'''`} {
		if strings.HasPrefix(value, q) && !strings.Contains(value[3:], q) {
			s.until = q
			return
		}
	}
	if strings.HasPrefix(value, "[") {
		s.depth = max(0, brackets(value))
	}
}

func (s *scanner) mark(path string, n int) {
	if _, seen := s.lines[path]; !seen {
		s.lines[path] = n
	}
}

// resolve inserts the number of the current element after each array of
// tables on the way to path.
func (s *scanner) resolve(path []string) string {
	at := ""
	for i, p := range path {
		at = join(at, p)
		if c := s.count[at]; c > 0 && i < len(path)-1 {
			at = join(at, strconv.Itoa(c-1))
		}
	}
	return at
}

// keyPath splits a dotted key, up to "=" or "]", honouring quotes.
func keyPath(s string) []string {
	var path []string
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
		case c == '=' || c == ']':
			return append(path, b.String())
		case c == '.':
			path = append(path, b.String())
			b.Reset()
		case c != ' ' && c != '\t':
			b.WriteByte(c)
		}
	}
	return append(path, b.String())
}

// brackets counts opening less closing brackets outside quotes and comments.
func brackets(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return depth
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
	}
	return depth
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)]
}

func leaf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// index is the path of element i of a list.
func index(path string, i int) string { return join(path, strconv.Itoa(i)) }
