package knob

// Options solves every value of a knob from a point.
func (k *Knob) Options(pt *Point) []Option {
	texts, now := k.values(pt)
	out := make([]Option, 0, len(texts))
	for i, t := range texts {
		out = append(out, k.option(pt, t, i == now))
	}
	return out
}
