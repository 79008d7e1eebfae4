package strategies

// faster and leaner order two estimates.
func faster(a, b *Estimate) bool { return compare(*a, *b) < 0 }

func leaner(a, b *Estimate) bool {
	if x, y := a.Memory.Total(), b.Memory.Total(); x != y {
		return x < y
	}
	return compare(*a, *b) < 0
}

func better(dst **Estimate, e *Estimate, less func(a, b *Estimate) bool) {
	if e != nil && (*dst == nil || less(e, *dst)) {
		*dst = e
	}
}

// compare orders by step, then memory, then the layout itself, so that a
// ranking does not depend on the order of the workers.
func compare(a, b Estimate) int {
	switch {
	case a.Step != b.Step:
		return sign(float64(a.Step - b.Step))
	case a.Memory.Total() != b.Memory.Total():
		return sign(float64(a.Memory.Total() - b.Memory.Total()))
	}
	if a.Layout == b.Layout {
		return 0
	}
	if a.Layout.String() < b.Layout.String() {
		return -1
	}
	return 1
}

func sign(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}
