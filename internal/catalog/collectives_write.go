package catalog

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// EncodeCollectives writes constants as the TOML that ParseCollectives reads:
// four significant digits, with what each link was fitted on, the standard
// error of each constant and the number of samples that it moves.
func EncodeCollectives(c *collective.Constants, r *collective.Report, source, asOf string) []byte {
	w := &constantsWriter{fitted: map[string]collective.Fitted{}}
	for _, f := range r.Constants {
		w.fitted[f.Name] = f
	}
	w.printf("# What nominal link rates leave out of collective calls: docs/COLLECTIVES.md\n" +
		"# explains each constant. Written by `planner calibrate --collectives`; a link\n" +
		"# or constant without measurements keeps the prior's value and its width\n" +
		"# (costmodel/collective/fit_prior.go). error is the standard error of\n" +
		"# ln(value); moves counts the samples that 10 %% more of it move by over 1 %%.\n\n")
	w.printf("source = %q\nas_of = %q\n\n[fit]\nsamples = %d\n\n", source, asOf, r.Samples)
	p := &c.Protocol
	w.printf("[protocol] # shared by all links\n")
	w.share("protocol", "pair", p.Pair)
	w.share("protocol", "tree_fill", p.TreeFill)
	w.share("protocol", "crowd", p.Crowd)
	for i := range c.Links {
		w.link(&c.Links[i], evidenceOf(r, c.Links[i].Name))
	}
	return w.Bytes()
}

func evidenceOf(r *collective.Report, link string) collective.Evidence {
	for _, e := range r.Links {
		if e.Link == link {
			return e
		}
	}
	return collective.Evidence{Link: link}
}

// constantsWriter prints constants beside their errors.
type constantsWriter struct {
	bytes.Buffer
	fitted map[string]collective.Fitted
}

func (w *constantsWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *constantsWriter) link(l *collective.Link, e collective.Evidence) {
	w.printf("\n[[link]]\nname = %q\n", l.Name)
	on, confidence := "nothing: the prior", "low"
	if e.Samples > 0 {
		on = fmt.Sprintf("%d samples of %d curves of %s", e.Samples, e.Curves, strings.Join(e.Sources, ", "))
		confidence = "medium"
	}
	if len(e.Sources) > 2 {
		confidence = "high"
	}
	w.printf("fitted_on = %q\nconfidence = %q\n", on, confidence)
	w.time(l.Name, "base", l.Base)
	w.time(l.Name, "hop", l.Hop)
	if l.Gap > 0 {
		w.time(l.Name, "gap", l.Gap)
	}
	w.time(l.Name, "fill", l.Fill)
	if l.Meet > 0 {
		w.time(l.Name, "meet", l.Meet)
	}
	w.share(l.Name, "knee", l.Knee)
	w.share(l.Name, "reach", l.Reach)
	w.share(l.Name, "tree", l.Tree)
	w.share(l.Name, "pairs", l.Pairs)
	w.share(l.Name, "p2p", l.P2P)
	if l.Lane > 0 {
		w.share(l.Name, "lane", l.Lane)
	}
	if l.Switch > 0 {
		w.share(l.Name, "switch", l.Switch)
		w.time(l.Name, "switch_step", l.SwitchStep)
	}
}

func (w *constantsWriter) time(link, key string, v unit.Seconds) {
	w.pair(link, key, strconv.Quote(digits(float64(v/unit.Microsecond))+"us"))
}

func (w *constantsWriter) share(link, key string, v float64) { w.pair(link, key, digits(v)) }

func (w *constantsWriter) pair(link, key, value string) {
	note := "prior"
	if f, ok := w.fitted[link+"."+key]; ok && f.Moves > 0 {
		note = fmt.Sprintf("error %.2f, moves %d", f.Sigma, f.Moves)
	}
	w.printf("%s = %s # %s\n", key, value, note)
}

// digits formats with four significant digits, always as a TOML float.
func digits(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
