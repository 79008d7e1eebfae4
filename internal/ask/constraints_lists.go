package ask

import (
	"strconv"
	"strings"

	"planner/internal/catalog"
)

// numbers reads "1,2,4" and "1..16"; an empty text is nil, any value.
func numbers(flag, text string, least int) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var out []int
	for _, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			return nil, catalog.Errorf("%s %q: a value is missing: want a list like 1,2,4 or a range like 1..16", flag, text)
		}
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "..")
		a, err := strconv.Atoi(low)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(high)
		}
		switch {
		case err != nil:
			return nil, catalog.Errorf("%s %q: not a whole number: want a list like 1,2,4 or a range like 1..16", flag, part)
		case a < least || b < a || b > catalog.MaxGPUs:
			return nil, catalog.Errorf("%s %q: out of range: want %d to 1,048,576, low before high", flag, part, least)
		}
		for v := a; v <= b && len(out) < 1<<16; v++ {
			out = append(out, v)
		}
	}
	return out, nil
}

// word is an enumeration of layouts, which spells itself.
type word interface {
	~uint8
	String() string
}

// upTo spells an enumeration from its first value to last.
func upTo[T word](last T) (names []string) {
	for v := T(0); v <= last; v++ {
		names = append(names, v.String())
	}
	return names
}

func enums[T word](flag, text string, allowed []string, to *[]T) error {
	if text == "" {
		return nil
	}
next:
	for _, v := range strings.Split(text, ",") {
		for i, a := range allowed {
			if v == a {
				*to = append(*to, T(i))
				continue next
			}
		}
		return notOne(flag, v, allowed)
	}
	return nil
}
