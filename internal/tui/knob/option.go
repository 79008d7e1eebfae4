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
	if now {
		return Option{text, true, *pt}
	}
	p := pt.Plan
	k.set(&p, pt, text)
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

// Sensitivity solves every knob one value lower and one higher.
func Sensitivity(pt *Point) []Effect {
	var out []Effect
	for _, k := range Knobs(pt) {
		texts, now := k.values(pt)
		for _, by := range []int{-1, 1} {
			i := now + by
			if now < 0 || i < 0 || i >= len(texts) || k.Name == "hardware" || k.Name == "framework" {
				continue
			}
			out = append(out, Effect{k.Name, texts[now], k.option(pt, texts[i], false), by > 0})
		}
	}
	return out
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
