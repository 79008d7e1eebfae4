package ask

import (
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// Bounds on what is looked through for a remedy that takes several changes.
const (
	mostChanges = 4
	mostTried   = 120
	mostMends   = 2
)

// mender looks for changes after which a refused layout is legal.
type mender struct {
	start   wish
	answers map[Question]*Answer
}

// remedy says what would do in place of a refused layout: of the offers of the
// refusal those that leave nothing else to refuse, else the fewest that do so
// together.
func (a *Answer) remedy(v *strategies.Violation, text string) string {
	m := &mender{start: wish{a.Question, text}, answers: map[Question]*Answer{}}
	if a.chose("--global-batch") {
		m.start.GlobalBatch = 0 // other GPUs, another default
	}
	offers := m.alone(v.Offers)
	if len(offers) == 0 {
		offers = m.together(v.Offers)
	}
	if len(offers) == 0 {
		offers = m.along(m.start, v.Offers, map[wish]bool{m.start: true})
	}
	hint := v.Hint
	if other := m.elsewhere(a, v); other != nil {
		offers, hint = append(offers, other...), ""
	}
	if len(offers) == 0 {
		return v.Remedy
	}
	return strategies.Phrase(offers) + hint
}

// alone returns those of the offers that leave a legal layout. One that drops all
// that the layout says is worded as what to say instead, behind the others.
func (m *mender) alone(of []string) (offers []string) {
	var instead []string
	for _, o := range of {
		w := m.start.with(o)
		switch {
		case m.refused(w) != nil:
		case w.layout == plain && strings.HasPrefix(o, "drop "):
			instead = append(instead, m.start.offer(w))
		default:
			offers = append(offers, o)
		}
	}
	return append(offers, instead...)
}

// elsewhere offers the framework that runs what the one asked cannot.
func (m *mender) elsewhere(a *Answer, v *strategies.Violation) (offers []string) {
	if v.Rule != strategies.RuleFramework || a.Framework == DefaultFramework || strings.Contains(v.Hint, "--framework") {
		return nil
	}
	for _, name := range catalog.Frameworks() {
		if o := "use --framework " + name; name != DefaultFramework && m.refused(m.start.with(o)) == nil {
			return []string{o}
		}
	}
	return nil
}

// together finds the shortest chains of offers that end in a legal layout, each
// as one offer.
func (m *mender) together(offers []string) (mends []string) {
	type step struct {
		at     wish
		offers []string
	}
	seen := map[wish]bool{m.start: true}
	steps := []step{{m.start, offers}}
	for range mostChanges {
		var next []step
		for _, s := range steps {
			for _, o := range s.offers {
				w := s.at.with(o)
				if seen[w] || len(seen) > mostTried {
					continue
				}
				seen[w] = true
				v := m.refused(w)
				if v == nil {
					mends = append(mends, m.start.offer(w))
					continue
				}
				next = append(next, step{w, v.Offers})
			}
		}
		if len(mends) > 0 {
			return mends[:min(mostMends, len(mends))]
		}
		steps = next
	}
	return nil
}

// along follows offers to as many changes as it takes, and turns round where
// they lead nowhere; the layout that it meets first is one offer.
func (m *mender) along(at wish, offers []string, seen map[wish]bool) []string {
	for _, o := range offers {
		w := at.with(o)
		if seen[w] || len(seen) > mostTried {
			continue
		}
		seen[w] = true
		v := m.refused(w)
		if v == nil {
			return []string{m.start.offer(w)}
		}
		if mend := m.along(w, v.Offers, seen); mend != nil {
			return mend
		}
	}
	return nil
}

// impossible stands for a question that cannot be asked.
var impossible = &strategies.Violation{}

// refused returns why a wish cannot be had; nil where it can.
func (m *mender) refused(w wish) *strategies.Violation {
	a, known := m.answers[w.Question]
	if !known {
		a, _ = Ask(w.Question)
		m.answers[w.Question] = a
	}
	l, err := strategies.ParseLayout(w.layout)
	if err != nil || a == nil {
		return impossible
	}
	_, _, v := a.run(l)
	return v
}
