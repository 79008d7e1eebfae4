package knob

import "planner/strategies"

// split gives the first and the last pipeline rank layers of their own where
// layers do not divide evenly: the split nearest to even, with the ends
// shorter rather than longer, because they hold the embedding and the head
// too. A layout that has no split keeps none.
func split(l *strategies.Layout, layers int) {
	l.First, l.Last = 0, 0
	if l.PP < 2 || layers%(l.PP*l.VPP) == 0 {
		return
	}
	even, best := float64(layers)/float64(l.PP), -1.0
	for first := l.VPP; first < layers; first += l.VPP {
		for last := l.VPP; first+last <= layers; last += l.VPP {
			cost, ok := unevenness(l, layers-first-last, even)
			if !ok {
				continue
			}
			for _, end := range []int{first, last} {
				d := float64(end) - even
				cost += d * d
				if d > 0 {
					cost += d / 100
				}
			}
			if best < 0 || cost < best {
				best, l.First, l.Last = cost, first, last
			}
		}
	}
}

// unevenness returns the squared distance from even of the ranks between the
// ends, which share rest layers.
func unevenness(l *strategies.Layout, rest int, even float64) (cost float64, ok bool) {
	if l.PP == 2 {
		return 0, rest == 0
	}
	if rest == 0 || rest%((l.PP-2)*l.VPP) != 0 {
		return 0, false
	}
	d := float64(rest/(l.PP-2)) - even
	return float64(l.PP-2) * d * d, true
}
