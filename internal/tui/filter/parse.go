// Package filter reads and applies the filters of the table of layouts, such
// as `tp=8 zero>=1 mem<70GiB !cp=2 /vpp/`: terms that must all hold. It knows
// estimates and searches, not terminals.
package filter

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Filter is a list of terms that must all hold. The zero Filter passes all.
type Filter struct {
	Text  string
	terms []term
}

// term is one condition.
type term struct {
	text   string
	not    bool
	op     string
	number *number
	values []float64
	word   *word
	names  []string
	match  *regexp.Regexp
}

// operators, longest first.
var operators = []string{"<=", ">=", "!=", "==", "=", "<", ">"}

// Parse reads a filter. The error is one line: what was given, what is wrong,
// what would do.
func Parse(text string) (Filter, error) {
	f := Filter{Text: strings.TrimSpace(text)}
	for _, token := range strings.Fields(text) {
		t, err := parseTerm(token)
		if err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

func parseTerm(token string) (term, error) {
	t := term{text: token}
	body := token
	if rest, ok := strings.CutPrefix(token, "!"); ok {
		t.not, body = true, rest
	}
	if body == "" {
		return t, catalog.Errorf("filter %q: nothing to refuse: want e.g. !cp=2", token)
	}
	if len(body) > 1 && body[0] == '/' {
		return t.pattern(strings.TrimSuffix(body[1:], "/"))
	}
	at := strings.IndexAny(body, "<>=!")
	if at < 0 {
		return t.pattern(body)
	}
	key, rest := strings.ToLower(body[:at]), body[at:]
	for _, op := range operators {
		if value, ok := strings.CutPrefix(rest, op); ok {
			t.op = op
			return t.compare(key, value)
		}
	}
	return t, catalog.Errorf("filter %q: no comparison: want =, !=, <, <=, > or >=", token)
}

func (t term) pattern(expr string) (term, error) {
	re, err := regexp.Compile("(?i)" + expr)
	if err != nil {
		return t, catalog.Errorf("filter %q: not a regular expression: want e.g. /vpp=[45]/", t.text)
	}
	t.match = re
	return t, nil
}

func (t term) compare(key, value string) (term, error) {
	if t.op == "==" {
		t.op = "="
	}
	if t.op == "!=" {
		t.op, t.not = "=", !t.not
	}
	if value == "" {
		return t, catalog.Errorf("filter %q: no value: want e.g. tp=8", t.text)
	}
	if alias, ok := map[string]string{"memory": "mem", "fw": "framework", "rec": "recompute", "tokens": "tok"}[key]; ok {
		key = alias
	}
	if i := slices.IndexFunc(numbers, func(n number) bool { return n.name == key }); i >= 0 {
		t.number = &numbers[i]
		return t.readNumbers(value)
	}
	if i := slices.IndexFunc(words, func(w word) bool { return w.name == key }); i >= 0 {
		if t.op != "=" {
			return t, catalog.Errorf("filter %q: %s is a word: want %s=%s", t.text, key, key, value)
		}
		t.word, t.names = &words[i], strings.Split(strings.ToLower(value), ",")
		return t, nil
	}
	if near := catalog.Nearest(key, Fields()); near != "" {
		return t, catalog.Errorf("filter %q: no field %q: did you mean %q?", t.text, key, near)
	}
	return t, catalog.Errorf("filter %q: no field %q: want %s", t.text, key, strings.Join(Fields(), ", "))
}

func (t term) readNumbers(value string) (term, error) {
	for _, part := range strings.Split(value, ",") {
		v, err := t.readNumber(part)
		if err != nil {
			return t, catalog.Errorf("filter %q: %q is not a number: want e.g. %s", t.text, part, t.number.example())
		}
		t.values = append(t.values, v)
	}
	if len(t.values) > 1 && t.op != "=" {
		return t, catalog.Errorf("filter %q: a list needs =: want e.g. %s=1,2", t.text, t.number.name)
	}
	return t, nil
}

func (t term) readNumber(part string) (float64, error) {
	switch t.number.name {
	case "mem":
		if v, err := strconv.ParseFloat(part, 64); err == nil {
			return v * float64(unit.GiB), nil
		}
		b, err := unit.ParseBytes(part)
		return float64(b), err
	case "mfu":
		v, err := strconv.ParseFloat(strings.TrimSuffix(part, "%"), 64)
		if err == nil && (v > 1 || strings.HasSuffix(part, "%")) {
			v /= 100
		}
		return v, err
	}
	return strconv.ParseFloat(strings.TrimSuffix(part, "s"), 64)
}

func (n *number) example() string {
	if e, ok := map[string]string{"mem": "mem<70GiB", "mfu": "mfu>0.45", "step": "step<9"}[n.name]; ok {
		return e
	}
	return n.name + ">=2"
}

// Match reports whether an estimate passes every term.
func (f *Filter) Match(p *strategies.Problem, e *strategies.Estimate) bool {
	for i := range f.terms {
		if f.terms[i].holds(p, e) == f.terms[i].not {
			return false
		}
	}
	return true
}

func (t *term) holds(p *strategies.Problem, e *strategies.Estimate) bool {
	switch {
	case t.match != nil:
		return t.match.MatchString(e.Layout.String() + " " + e.Framework.Name)
	case t.word != nil:
		return slices.Contains(t.names, strings.ToLower(t.word.of(e)))
	}
	return t.accepts(t.number.of(p, e))
}

func (t *term) accepts(v float64) bool {
	w := t.values[0]
	switch t.op {
	case "<":
		return v < w
	case "<=":
		return v <= w
	case ">":
		return v > w
	case ">=":
		return v >= w
	}
	return slices.Contains(t.values, v)
}
