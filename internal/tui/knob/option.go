package knob

import "fmt"

// Option is one value of a knob, with the point that it leads to.
type Option struct {
	Text string
	Now  bool
	Point
}

// Rule says what keeps the option from being taken or from fitting, or is
// empty.
func (o *Option) Rule() string {
	if !o.Legal() {
		return o.Broken
	}
	if e := &o.Estimate; !e.Fits {
		return fmt.Sprintf("%.1f GiB short in stage %d", (e.Memory.Total() - o.Answer.Problem.Capacity()).GiB(), e.Fullest)
	}
	return ""
}

func (k *Knob) option(pt *Point, text string, now bool) Option {
	switch {
	case now:
		return Option{text, true, *pt}
	case k.part != nil:
		return Option{text, false, pt.turned(k.part, text)}
	}
	p := pt.Plan
	k.set(&p.Question, text)
	return Option{text, false, Solve(p, pt.Answer)}
}

// Texts returns the values of a knob unsolved, and which is the present.
func (k *Knob) Texts(pt *Point) ([]string, int) { return k.values(pt) }

// Step returns the next legal value in a direction, and the illegal ones
// skipped on the way; ok is false at the end of the range.
func (k *Knob) Step(pt *Point, by int) (to Option, skipped []Option, ok bool) {
	texts, now := k.values(pt)
	for i := now + by; i >= 0 && i < len(texts); i += by {
		o := k.option(pt, texts[i], false)
		if o.Legal() {
			return o, skipped, true
		}
		skipped = append(skipped, o)
	}
	return Option{}, skipped, false
}

// Effect is what one step of a knob does to the step time.
type Effect struct {
	Knob string
	From string
	To   Option
	Up   bool
}

// Sensitivity turns every knob to its next legal value, lower and higher, under
// the framework of the point; where no value that way is legal, To is the
// nearest, which says why.
func Sensitivity(pt *Point) []Effect {
	var out []Effect
	for _, k := range Knobs(pt) {
		texts, now := k.values(pt)
		for _, up := range []bool{false, true} {
			if now < 0 || k.Name == "hardware" || k.Name == "framework" {
				continue
			}
			if o, ok := k.next(pt, up); ok {
				out = append(out, Effect{k.Name, texts[now], o, up})
			}
		}
	}
	return out
}

// next returns the next legal value, or the nearest where there is none; ok is
// false at the end of the range.
func (k *Knob) next(pt *Point, up bool) (to Option, ok bool) {
	if k.part != nil {
		m, ok := k.part.Next(pt.Answer.Problem, pt.Framework, pt.Layout, up)
		if !ok {
			return Option{}, false
		}
		return Option{m.To, false, pt.under(pt.Framework, m.Layout, m.Broken)}, true
	}
	by := -1
	if up {
		by = 1
	}
	to, skipped, ok := k.Step(pt, by)
	if !ok && len(skipped) > 0 {
		return skipped[0], true
	}
	return to, ok
}

// Near solves the values from index from to before index to.
func (k *Knob) Near(pt *Point, from, to int) []Option {
	texts, now := k.values(pt)
	var out []Option
	for i := from; i < to; i++ {
		out = append(out, k.option(pt, texts[i], i == now))
	}
	return out
}
