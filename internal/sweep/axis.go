// Package sweep finds the best layout at each point of one or two dimensions
// of a question: GPUs, sequence length, batch, model, bandwidth, degrees.
package sweep

import (
	"slices"
	"strconv"
	"strings"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// Axis is one swept dimension: the name of a flag and its values as they would
// be typed.
type Axis struct {
	Name   string
	Values []string
}

// Kinds of values that an axis takes.
type kind uint8

const (
	words  kind = iota // lists only
	counts             // whole numbers, ranges allowed
	tokens             // whole numbers that take k, Ki, M and Mi, ranges allowed
	rates              // bandwidths, ranges allowed
)

// swept is a flag that can be swept.
type swept struct {
	name string
	kind kind
}

// axisNames are the flags that can be swept.
var axisNames = []swept{
	{"gpus", counts}, {"model", words}, {"hardware", words}, {"seq-len", tokens}, {"global-batch", tokens}, {"inter-node", rates},
	{"precision", words}, {"framework", words}, {"gpus-per-node", counts},
	{"tp", counts}, {"pp", counts}, {"vpp", counts}, {"cp", counts}, {"ep", counts}, {"etp", counts}, {"zero", counts}, {"shard", counts},
	{"mbs", counts}, {"recompute", words}, {"max-memory", words},
}

// Names returns the flags that can be swept.
func Names() []string {
	var out []string
	for _, a := range axisNames {
		out = append(out, a.name)
	}
	return out
}

// MaxPoints bounds a sweep.
const MaxPoints = 1024

// ParseAxis reads the values of a flag: a list "64,128", a range that doubles
// "64..16384", or one that adds "8..64+8". Units of a bandwidth may stand on
// the last number alone: "100..800Gb/s"; each number of tokens has its own:
// "4Ki..128Ki", and is returned without. Errors are *catalog.Error.
func ParseAxis(name, text string) (Axis, error) {
	a := Axis{Name: name}
	i := slices.IndexFunc(axisNames, func(x swept) bool { return x.name == name })
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		values, err := expand(name, part, axisNames[i].kind)
		if err != nil {
			return a, err
		}
		for _, v := range values {
			if slices.Contains(a.Values, v) {
				return a, catalog.Errorf("--%s %q: %s is given twice: keep one", name, text, v)
			}
			a.Values = append(a.Values, v)
		}
		if len(a.Values) > MaxPoints {
			return a, catalog.Errorf("--%s %q: more than %d values: use a coarser range", name, text, MaxPoints)
		}
	}
	return a, nil
}

// expand reads one part of a list.
func expand(name, part string, k kind) ([]string, error) {
	if part == "" {
		return nil, catalog.Errorf("--%s: an empty value in the list: want e.g. %s", name, sample(k))
	}
	low, high, isRange := strings.Cut(part, "..")
	if !isRange || k == words {
		if k == words {
			return []string{part}, nil
		}
		v, _, err := number(name, part, part, k)
		if err == nil && k != rates {
			part = strconv.FormatFloat(v, 'f', -1, 64)
		}
		return []string{part}, err
	}
	high, step, adds := strings.Cut(high, "+")
	b, suffix, err := number(name, part, high, k)
	if err != nil {
		return nil, err
	}
	a, _, err := number(name, part, withUnit(low, suffix), k)
	if err != nil {
		return nil, err
	}
	add := 0.0
	if adds {
		if add, _, err = number(name, part, withUnit(step, suffix), k); err != nil {
			return nil, err
		}
	}
	if a > b || a <= 0 && !adds || adds && add <= 0 {
		return nil, catalog.Errorf("--%s %q: a range must rise from above 0: want e.g. %s", name, part, sample(k))
	}
	return steps(a, b, add, suffix)
}

func steps(a, b, add float64, suffix string) (out []string, err error) {
	for v := a; v <= b*(1+1e-9) && len(out) <= MaxPoints; {
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64)+suffix)
		if add > 0 {
			v += add
		} else {
			v *= 2
		}
	}
	return out, nil
}

func sample(k kind) string {
	return []string{"a,b", "64,128 or 64..16384 (doubling) or 8..64+8", "4096,8Ki or 4Ki..128Ki (doubling)", "100..800Gb/s"}[k]
}

// number reads a number and its unit; of a number of tokens the unit is worked in.
func number(name, part, text string, k kind) (v float64, suffix string, err error) {
	if k == tokens {
		n, err := ask.ParseCount(text)
		if err != nil || n < 0 || n > 1<<30 {
			err = catalog.Errorf("--%s %q: %q is no whole number up to 2^30: want %s", name, part, text, sample(k))
		}
		return float64(n), "", err
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/ ")
	suffix = text[len(digits):]
	if v, err = strconv.ParseFloat(digits, 64); strings.ContainsAny(digits, "xX_") {
		err = strconv.ErrSyntax // Go's own spellings: a person mistypes
	}
	switch {
	case err != nil:
	case k == counts && (suffix != "" || v != float64(int(v)) || v < 0 || v > 1<<30):
		err = strconv.ErrSyntax
	case k == rates:
		if _, bad := unit.ParseBandwidth(text); bad != nil {
			return 0, "", catalog.Errorf("--%s %s", name, bad)
		}
	}
	if err != nil {
		return 0, "", catalog.Errorf("--%s %q: %q is no whole number: want %s", name, part, text, sample(k))
	}
	return v, suffix, nil
}

// withUnit gives a number the unit of the range's end, if it has none.
func withUnit(text, suffix string) string {
	if n := len(text); n > 0 && suffix != "" && text[n-1] >= '0' && text[n-1] <= '9' {
		return text + suffix
	}
	return text
}
