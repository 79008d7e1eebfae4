package strategies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Keys lists the keys of a layout string in canonical order.
var Keys = []string{
	"tp", "pp", "vpp", "cp", "ep", "etp", "dp", "zero", "shard", "mbs", "sp",
	"recompute", "schedule", "first", "last", "cpkind", "dispatcher", "offload", "hpz",
}

// maxDegree bounds every number of a layout string, so that products of
// degrees cannot overflow.
const maxDegree = 1 << 20

// ParseLayout reads key=value pairs separated by commas. Degrees that the
// string leaves out are 0 until Complete fills them. The error names the pair,
// what is wrong, and what would do.
func ParseLayout(s string) (Layout, error) {
	l := Layout{}
	seen := map[string]string{}
	if strings.TrimSpace(s) == "" {
		return l, fmt.Errorf("%q: empty: want key=value pairs, e.g. tp=8,pp=4,zero=1", s)
	}
	for _, pair := range strings.Split(s, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return l, fmt.Errorf("%q: not key=value: want e.g. tp=8", pair)
		}
		if !slices.Contains(Keys, key) {
			return l, fmt.Errorf("%q: unknown key %q: %s", pair, key, nearest(key, Keys))
		}
		if old, dup := seen[key]; dup {
			return l, fmt.Errorf("%q: %s is given twice (%s and %s): keep one", pair, key, old, value)
		}
		seen[key] = value
		if err := l.set(key, value); err != nil {
			return l, fmt.Errorf("%q: %w", pair, err)
		}
	}
	if _, ok := seen["sp"]; !ok {
		l.SP = l.TP > 1
	}
	if _, ok := seen["schedule"]; !ok {
		l.Schedule = DefaultSchedule(l.VPP)
	}
	return l, nil
}

// Nearest returns `did you mean "x"?`, or the list of what is allowed when
// nothing is near.
func nearest(given string, allowed []string) string {
	best, distance := "", len(given)/3+2
	for _, a := range allowed {
		if d := levenshtein.ComputeDistance(given, a); d < distance {
			best, distance = a, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "want one of " + strings.Join(allowed, ", ")
}

func (l *Layout) set(key, value string) (err error) {
	ints := map[string]*int{
		"tp": &l.TP, "pp": &l.PP, "vpp": &l.VPP, "cp": &l.CP, "ep": &l.EP, "etp": &l.ETP, "dp": &l.DP,
		"shard": &l.Shard, "mbs": &l.MBS, "first": &l.First, "last": &l.Last, "hpz": &l.HPZ,
	}
	if p, ok := ints[key]; ok {
		*p, err = parseDegree(value)
		return err
	}
	switch key {
	case "zero":
		l.Zero, err = strconv.Atoi(value)
		if err != nil || l.Zero < 0 || l.Zero > 3 {
			err = fmt.Errorf("no such stage: want 0, 1, 2 or 3")
		}
	case "sp":
		if l.SP, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("not true or false: want sp=true or sp=false")
		}
	case "recompute":
		err = l.setRecompute(value)
	case "schedule":
		err = setName(&l.Schedule, scheduleNames, value)
	case "cpkind":
		err = setName(&l.CPKind, cpKindNames, value)
	case "dispatcher":
		err = setName(&l.Dispatcher, dispatcherNames, value)
	case "offload":
		err = setName(&l.Offload, offloadNames, value)
	}
	return err
}

func parseDegree(value string) (int, error) {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return 0, fmt.Errorf("not a whole number: want 1 to %d", maxDegree)
	case n < 1:
		return 0, fmt.Errorf("too small: want at least 1")
	case n > maxDegree:
		return 0, fmt.Errorf("too large: want at most %d", maxDegree)
	}
	return n, nil
}

func (l *Layout) setRecompute(value string) error {
	name, layers, limited := strings.Cut(value, ":")
	if err := setName(&l.Recompute, recomputeNames, name); err != nil {
		return err
	}
	if !limited {
		return nil
	}
	if l.Recompute != RecomputeFull {
		return fmt.Errorf("only full takes a number of layers: want full:N")
	}
	n, err := parseDegree(layers)
	l.FullLayers = n
	return err
}

func setName[T ~uint8](p *T, names []string, value string) error {
	i := slices.Index(names, value)
	if i < 0 {
		return fmt.Errorf("no such value: %s", nearest(value, names))
	}
	*p = T(i)
	return nil
}
