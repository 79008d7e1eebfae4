package ask

import (
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// Layout reads a layout string for the problem and finds the framework that
// runs it: the first in the order of preference that can. The error is about
// the first framework asked.
func (a *Answer) Layout(text string) (strategies.Layout, *strategies.Profile, error) {
	l, err := strategies.ParseLayout(text)
	if err != nil {
		return l, nil, catalog.Errorf("--layout %s", err)
	}
	done, f, v := a.run(l)
	if v == nil {
		return done, f, nil
	}
	return done, nil, refusal(a, v, text)
}

// run completes a layout and finds the framework that runs it, else why none does.
func (a *Answer) run(l strategies.Layout) (strategies.Layout, *strategies.Profile, *strategies.Violation) {
	l, v := l.Complete(a.Problem.Cluster.GPUs)
	if v != nil {
		return l, nil, v
	}
	l = a.Problem.Settle(l)
	var first *strategies.Violation
	for _, f := range a.Problem.Profiles {
		v := a.Problem.Check(&l, f)
		if v == nil {
			return l, f, nil
		}
		if first == nil || first.Rule == strategies.RuleFramework && v.Rule != strategies.RuleFramework {
			first = v
		}
	}
	return l, nil, first
}

// refusal quotes of a layout string what is at fault, and no default beside it.
func refusal(a *Answer, v *strategies.Violation, text string) error {
	quote, remedy := named(v.Given, text), a.remedy(v, text)
	if v.Rule == strategies.RuleFramework && len(a.Problem.Profiles) > 1 {
		return catalog.Errorf("--layout %q: no framework runs this; %s: %s", quote, v.Reason, remedy)
	}
	return catalog.Errorf("--layout %q: %s: %s", quote, v.Reason, remedy)
}

// named returns the pairs whose keys a layout string names; all of them where
// it names none.
func named(pairs, text string) string {
	var out []string
	for _, pair := range strings.Split(pairs, ",") {
		if key, _, _ := strings.Cut(pair, "="); Names(text, key) {
			out = append(out, pair)
		}
	}
	if out == nil {
		return pairs
	}
	return strings.Join(out, ",")
}

// Names reports whether a layout string gives a key a value.
func Names(text, key string) bool {
	for _, pair := range strings.Split(text, ",") {
		if strings.HasPrefix(strings.TrimSpace(pair), key+"=") {
			return true
		}
	}
	return false
}
