package calibrate

import (
	"math"
	"slices"
)

// fit is a robust least-squares problem: rows, the knobs that move them, and
// what counts as error.
type fit struct {
	rows  []*sample
	turns []turn
	error residual
	scale []float64 // per row, error beyond which it counts less: Cauchy's c
	prior *constants
	fine  float64 // the least scale of a row
	// linear takes Huber's loss, which never forgets a row, for Cauchy's.
	linear bool
}

// weights returns the weight of each row: sources alike, each as its rows'
// number to the power ½, so that a small source is heard and a large one is
// not drowned.
func weights(rows []*sample) []float64 {
	n := map[string]float64{}
	for _, s := range rows {
		n[s.source]++
	}
	w := make([]float64, len(rows))
	for i, s := range rows {
		w[i] = math.Sqrt(sourceRows / n[s.source])
	}
	return w
}

// sourceRows is how many independent rows a source is taken to be worth.
const sourceRows = 60

func (f *fit) errors(c *constants) []float64 {
	out := make([]float64, len(f.rows))
	each(len(f.rows), func(i int) {
		p, e := f.rows[i].predict(c)
		out[i] = f.error(f.rows[i], p, &e)
	})
	return out
}

// cost is Σ w·ln(1 + (r/scale)²)·½ (Cauchy's loss) plus the priors' ½((ln v −
// ln v₀)/spread)², rows in units of the scale.
func (f *fit) cost(c *constants, r, w []float64) float64 {
	t := 0.0
	for i := range r {
		x := r[i] / f.scale[i]
		t += w[i] * f.loss(x)
	}
	for i := range f.turns {
		k := &f.turns[i]
		x := math.Log(*k.value(c) / *k.value(f.prior)) / k.spread
		t += x * x / 2
	}
	return t
}

// loss returns the loss of an error in units of its scale.
func (f *fit) loss(x float64) float64 {
	if !f.linear {
		return math.Log1p(x*x) / 2
	}
	if x = math.Abs(x); x > 1 {
		return x - 0.5
	}
	return x * x / 2
}

// down returns the weight that the loss leaves to a row: its derivative over x.
func (f *fit) down(x float64) float64 {
	if !f.linear {
		return 1 / (1 + x*x)
	}
	return 1 / math.Max(1, math.Abs(x))
}

const (
	iterations = 40
	nudge      = 0.02 // of ln(value), for derivatives
	leastGain  = 1e-4 // of the cost, that a step is worth
)

// solve minimises the cost by Levenberg–Marquardt steps over reweighted rows
// (Holland and Welsch 1977) and returns the constants with their standard
// errors in ln(value).
func (f *fit) solve(c *constants) (*constants, []float64) {
	if len(f.turns) == 0 {
		return c, nil
	}
	f.scale = make([]float64, len(f.rows))
	for i := range f.scale {
		f.scale[i] = 4 * f.fine // a coarse pass, so that no minimum nearby traps it
	}
	c, _ = f.descend(c)
	f.rescale(c)
	c, _ = f.descend(c)
	f.rescale(c)
	return f.descend(c)
}

// rescale sets the scale of each row to the robust deviation of its source
// (1.48 times the median error, Rousseeuw and Croux 1993), so that a source
// full of what no mechanism explains does not bend what others fix.
func (f *fit) rescale(c *constants) {
	by := map[string][]float64{}
	r := f.errors(c)
	for i, s := range f.rows {
		by[s.source] = append(by[s.source], math.Abs(r[i]))
	}
	for i, s := range f.rows {
		v := slices.Sorted(slices.Values(by[s.source]))
		f.scale[i] = math.Min(1, math.Max(f.fine, 1.48*v[len(v)/2]))
	}
}

// descend takes damped steps until they gain nothing. A Jacobian costs as much
// as an evaluation per knob, so it serves until its steps no longer gain.
func (f *fit) descend(c *constants) (*constants, []float64) {
	w := weights(f.rows)
	c = c.clone()
	r := f.errors(c)
	cost, lambda := f.cost(c, r, w), 0.01
	jac, fresh := f.jacobian(c, r), true
	for range iterations {
		normal, gradient := f.normal(c, jac, r, w)
		gained := 0.0
		for range 6 {
			next, nextErr := f.step(c, normal, gradient, lambda)
			nc := f.cost(next, nextErr, w)
			if nc < cost {
				gained = cost - nc
				c, r, cost = next, nextErr, nc
				lambda = max(lambda/4, 1e-4)
				break
			}
			lambda *= 5
		}
		enough := gained >= leastGain*math.Max(1, cost)
		if !enough && fresh {
			break
		}
		if fresh = !enough; fresh {
			jac, lambda = f.jacobian(c, r), 0.01
		}
	}
	normal, _ := f.normal(c, f.jacobian(c, r), r, w)
	return c, deviations(normal)
}
