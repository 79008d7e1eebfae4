package calibrate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"planner/strategies"
)

// ProfilesTOML returns presets/profiles/fit.toml: the fitted constants of each
// framework and generation over its prior's, the prior's where no run speaks.
func (res *Result) ProfilesTOML(asOf string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fitted constants of the frameworks, by generation of accelerator; \"default\"\n# serves the others.\n%s\n", Marker)
	fmt.Fprintf(&b, "source = %q\nas_of = %q\n", "robust fit on "+strconv.Itoa(len(res.rows))+" published runs (presets/runs), priors of presets/profiles/prior.toml", asOf)
	priors := profilePriors()
	for _, fw := range slices.Sorted(maps.Keys(priors)) {
		b.WriteString(res.framework(fw, priors[fw]["default"]))
	}
	return b.String()
}

// framework writes the constants of one framework: those of each generation
// that its runs speak of, then those that serve the others.
func (res *Result) framework(fw string, prior strategies.ProfileFit) string {
	best := res.defaultArch(fw)
	if best == "" {
		unset(&prior, "")
		return res.unmeasured(fw, prior)
	}
	var b strings.Builder
	for _, arch := range res.generations(fw) {
		fmt.Fprintf(&b, "\n[%s.%s]\n%s", fw, arch, res.profile(place{fw, arch}))
	}
	fmt.Fprintf(&b, "\n[%s.default] # as %s\n%s", fw, best, res.elsewhere(place{fw, best}))
	return b.String()
}

// unmeasured writes the constants of a framework without a run: its priors, and
// over them what the runs of its kin say.
func (res *Result) unmeasured(fw string, prior strategies.ProfileFit) string {
	of := kin[fw]
	best := res.defaultArch(of)
	if best == "" {
		return fmt.Sprintf("\n[%s.default] # no run of it is in the table\n%s", fw, fields(&prior, nil))
	}
	var b strings.Builder
	for _, arch := range append(res.generations(of), "default") {
		f, notes := prior, map[string]string{}
		f.Network = networkElsewhere
		as := arch
		if arch == "default" {
			as = best
		}
		for _, c := range res.Constants {
			if c.Framework == of && c.Arch == as && c.Rows > 0 && c.Name != "network" {
				set(&f, c.Name, c.Value)
				notes[c.Name] = "as " + of + " on " + as
			}
		}
		fmt.Fprintf(&b, "\n[%s.%s] # no run of it is in the table\n%s", fw, arch, fields(&f, notes))
	}
	return b.String()
}

// generations returns those that a framework has runs on, in order.
func (res *Result) generations(fw string) []string {
	var list []string
	for at := range res.final.profiles {
		if at.framework == fw && res.has(at) {
			list = append(list, at.arch)
		}
	}
	slices.Sort(list)
	return list
}

// has reports whether any constant of a place was fitted.
func (res *Result) has(at place) bool {
	return slices.ContainsFunc(res.Constants, func(c Constant) bool { return c.Framework == at.framework && c.Arch == at.arch })
}

// defaultArch is the generation whose constants serve those without runs: the
// latest of the widespread ones.
func (res *Result) defaultArch(framework string) string {
	for _, a := range []string{"hopper", "ampere", "blackwell"} {
		if res.has(place{framework, a}) {
			return a
		}
	}
	return ""
}

// serveOthers gives the generations that no run of their framework was fitted on
// the constants that the presets will give them.
func (res *Result) serveOthers() {
	for at := range res.final.profiles {
		res.final.profiles[at] = res.serving(at)
	}
}

// serving returns the constants that serve a place: those fitted there, those
// of its framework's default generation, or its priors, nil where no row of the
// fit is of the place.
func (res *Result) serving(at place) *strategies.ProfileFit {
	best := res.defaultArch(at.framework)
	if best == "" || res.has(at) {
		return res.final.profiles[at]
	}
	f := res.other(place{at.framework, best})
	return &f
}

func (res *Result) profile(at place) string {
	notes := map[string]string{}
	for _, c := range res.Constants {
		if c.Framework == at.framework && c.Arch == at.arch {
			notes[c.Name] = c.note()
		}
	}
	return fields(res.final.profiles[at], notes)
}

// elsewhere is profile for the generations that no run of the framework speaks
// of: the networks that its runs left unstated are not theirs.
func (res *Result) elsewhere(at place) string {
	f := res.other(at)
	return fields(&f, nil)
}

func (res *Result) other(at place) strategies.ProfileFit {
	f := *res.final.profiles[at]
	if f.Network > 0 {
		f.Network = networkElsewhere
	}
	return f
}
