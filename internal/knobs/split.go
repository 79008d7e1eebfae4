package knobs

// split returns the layers of the first and the last pipeline rank that are
// nearest to even where layers do not divide, 0 for an end that is as long as
// those between: short ends rather than long ones, and the last the shorter,
// because they hold the embedding and the head too. It is not ok where layers
// divide, or there are fewer of them than virtual stages.
func split(layers, pp, vpp int) (first, last int, ok bool) {
	if pp < 2 || layers%(pp*vpp) == 0 || layers < pp*vpp {
		return 0, 0, false
	}
	even, best := float64(layers)/float64(pp), 0.0
	for z := vpp; z < layers; z += vpp {
		for f := vpp; f+z <= layers; f += vpp {
			between, fits := share(layers-f-z, pp-2, vpp)
			cost := float64(pp-2)*square(float64(between)-even) + end(f, even) + end(z, even)
			if fits && (!ok || cost < best) {
				best, first, last, ok = cost, f, z, true
			}
		}
	}
	between, _ := share(layers-first-last, pp-2, vpp)
	switch {
	case pp == 2:
		last = 0 // the first says it all
	case first == between:
		first = 0
	case last == between:
		last = 0
	}
	return first, last, ok
}

// share returns the layers of each of n ranks that share rest, in virtual
// stages of equal length.
func share(rest, n, vpp int) (each int, ok bool) {
	if n == 0 {
		return 0, rest == 0
	}
	return rest / n, rest > 0 && rest%(n*vpp) == 0
}

func square(x float64) float64 { return x * x }

// end is what the layers of an end cost, of two equally far from even the
// longer more.
func end(layers int, even float64) float64 {
	d := float64(layers) - even
	return square(d) + max(0, d)/100
}
