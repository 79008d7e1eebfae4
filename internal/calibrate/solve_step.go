package calibrate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// normal returns JᵀWJ and −JᵀWr, priors included.
func (f *fit) normal(c *constants, jac [][]float64, r, w []float64) (*mat.SymDense, *mat.VecDense) {
	n := len(f.turns)
	a, g := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range r {
		x := r[i] / f.scale[i]
		u := w[i] * f.down(x) / (f.scale[i] * f.scale[i])
		for j, dj := range jac[i] {
			if dj == 0 {
				continue
			}
			g.SetVec(j, g.AtVec(j)-u*dj*r[i])
			for k := j; k < n; k++ {
				if jac[i][k] != 0 {
					a.SetSym(j, k, a.At(j, k)+u*dj*jac[i][k])
				}
			}
		}
	}
	for j := range f.turns {
		t := &f.turns[j]
		s2 := t.spread * t.spread
		a.SetSym(j, j, a.At(j, j)+1/s2)
		g.SetVec(j, g.AtVec(j)-math.Log(*t.value(c) / *t.value(f.prior))/s2)
	}
	return a, g
}

// jacobian holds dr/dln(value), a row per sample.
func (f *fit) jacobian(c *constants, r []float64) [][]float64 {
	near := make([]*constants, len(f.turns))
	for j := range f.turns {
		near[j] = c.clone()
		*f.turns[j].value(near[j]) *= math.Exp(nudge)
	}
	jac := make([][]float64, len(f.rows))
	each(len(f.rows), func(i int) {
		jac[i] = make([]float64, len(f.turns))
		for j := range f.turns {
			if f.turns[j].moves(f.rows[i]) {
				p, e := f.rows[i].predict(near[j])
				jac[i][j] = (f.error(f.rows[i], p, &e) - r[i]) / nudge
			}
		}
	})
	return jac
}

// step returns the constants after one damped step, within bounds.
func (f *fit) step(c *constants, a *mat.SymDense, g *mat.VecDense, lambda float64) (*constants, []float64) {
	n := len(f.turns)
	damped := mat.NewSymDense(n, nil)
	damped.CopySym(a)
	for j := range n {
		damped.SetSym(j, j, a.At(j, j)*(1+lambda))
	}
	var chol mat.Cholesky
	d := mat.NewVecDense(n, nil)
	if chol.Factorize(damped) {
		_ = chol.SolveVecTo(d, g)
	}
	next := c.clone()
	for j := range n {
		t := &f.turns[j]
		v := t.value(next)
		move := math.Max(-0.7, math.Min(0.7, d.AtVec(j)))
		*v = math.Max(t.low, math.Min(t.high, *v*math.Exp(move)))
	}
	return next, f.errors(next)
}

// deviations returns the square roots of the diagonal of the inverse.
func deviations(a *mat.SymDense) []float64 {
	n := a.SymmetricDim()
	out := make([]float64, n)
	var chol mat.Cholesky
	var inv mat.SymDense
	if !chol.Factorize(a) || chol.InverseTo(&inv) != nil {
		return out
	}
	for j := range n {
		out[j] = math.Sqrt(inv.At(j, j))
	}
	return out
}
