package collective

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	maxIterations = 60
	maxEscapes    = 6
	step          = 1e-4 // of ln(value), for the Jacobian
)

// search descends, then tries each constant at half and twice its value and
// descends again from the best: a constant that decides between algorithms has
// a valley on either side of the choice.
func (f *fit) search() int {
	n := f.descend()
	for range maxEscapes {
		best, theta := f.value(f.theta), []float64(nil)
		for j, k := range f.knobs {
			for _, jump := range []float64{-math.Ln2, math.Ln2} {
				t := append([]float64(nil), f.theta...)
				t[j] += jump
				if k.max > 0 {
					t[j] = math.Min(t[j], math.Log(k.max))
				}
				if v := f.value(t); v < best {
					best, theta = v, t
				}
			}
		}
		if theta == nil {
			break
		}
		f.theta = theta
		n += f.descend()
	}
	return n
}

// value is the cost at theta.
func (f *fit) value(theta []float64) float64 {
	r := make([]float64, len(f.samples))
	f.residuals(theta, r)
	return f.cost(theta, r)
}

// descend runs Levenberg–Marquardt on the reweighted problem and returns the
// iterations taken. Each iteration solves, by QR,
//
//	min ‖√w·(r + Jδ)‖² + ‖(θ+δ−θ₀)/spread‖² + λ‖δ‖²
//
// where θ₀ of a generation moves with the one before,
// with Cauchy weights w = 1/(1+r²) (Huber & Ronchetti, Robust Statistics).
func (f *fit) descend() int {
	n, p := len(f.samples), len(f.theta)
	r, jac := make([]float64, n), mat.NewDense(n, p, nil)
	lambda := 1.0
	for it := range maxIterations {
		f.residuals(f.theta, r)
		cost := f.cost(f.theta, r)
		f.jacobian(r, jac)
		gain := 0.0
		for lambda < 1e8 {
			next := f.solve(r, jac, lambda)
			trial := make([]float64, n)
			f.residuals(next, trial)
			if c := f.cost(next, trial); c < cost {
				gain = cost - c
				f.theta, lambda = next, lambda/4
				break
			}
			lambda *= 4
		}
		if gain < 1e-6*cost {
			return it + 1
		}
	}
	return maxIterations
}

// cost is the Cauchy loss of the residuals plus the prior's penalty.
func (f *fit) cost(theta, r []float64) float64 {
	sum := 0.0
	for _, v := range r {
		sum += math.Log1p(v * v)
	}
	for j := range f.knobs {
		d := f.off(theta, j)
		sum += d * d
	}
	return sum
}

// jacobian writes ∂r/∂θ by forward differences around residuals r.
func (f *fit) jacobian(r []float64, jac *mat.Dense) {
	theta := append([]float64(nil), f.theta...)
	jac.Zero()
	for j := range theta {
		was := theta[j]
		theta[j] -= step
		price := f.pricing(theta)
		theta[j] = was
		for _, i := range f.touches[j] {
			jac.Set(i, j, (r[i]-price(i))/step)
		}
	}
}

// solve returns θ+δ of the damped, weighted step.
func (f *fit) solve(r []float64, jac *mat.Dense, lambda float64) []float64 {
	n, p := jac.Dims()
	a, b := mat.NewDense(n+2*p, p, nil), mat.NewVecDense(n+2*p, nil)
	for i := range n {
		w := 1 / math.Sqrt(1+r[i]*r[i])
		b.SetVec(i, -w*r[i])
		for j := range p {
			a.Set(i, j, w*jac.At(i, j))
		}
	}
	for j := range f.knobs {
		a.Set(n+j, j, 1/f.spread(j))
		if older := f.parent[j]; older >= 0 {
			a.Set(n+j, older, -1/f.spread(j))
		}
		b.SetVec(n+j, -f.off(f.theta, j))
		a.Set(n+p+j, j, math.Sqrt(lambda))
	}
	var qr mat.QR
	qr.Factorize(a)
	var delta mat.VecDense
	next := append([]float64(nil), f.theta...)
	if err := qr.SolveVecTo(&delta, false, b); err != nil {
		return next
	}
	for j, k := range f.knobs {
		next[j] += math.Max(-0.7, math.Min(0.7, delta.AtVec(j)))
		if k.max > 0 {
			next[j] = math.Min(next[j], math.Log(k.max))
		}
	}
	return next
}

// describe reports every constant with its standard error and the samples that
// it moves.
func (f *fit) describe() []Fitted {
	n, p := len(f.samples), len(f.theta)
	r, jac := make([]float64, n), mat.NewDense(n, p, nil)
	f.residuals(f.theta, r)
	f.jacobian(r, jac)
	sigma := f.errors(r, jac)
	out := make([]Fitted, p)
	for j, k := range f.knobs {
		out[j] = Fitted{Name: k.name, Value: math.Exp(f.theta[j]), Prior: math.Exp(f.centre[j]), Sigma: sigma[j]}
		for i := range n {
			if math.Abs(jac.At(i, j))*f.samples[i].sigma() > 0.1 {
				out[j].Moves++
			}
		}
	}
	return out
}

// errors returns √diag((JᵀWJ + spread⁻²)⁻¹).
func (f *fit) errors(r []float64, jac *mat.Dense) []float64 {
	n, p := jac.Dims()
	info := mat.NewSymDense(p, nil)
	for i := range n {
		w := 1 / (1 + r[i]*r[i])
		for a := range p {
			for b := a; b < p; b++ {
				info.SetSym(a, b, info.At(a, b)+w*jac.At(i, a)*jac.At(i, b))
			}
		}
	}
	for j := range f.knobs {
		held := 1 / (f.spread(j) * f.spread(j))
		info.SetSym(j, j, info.At(j, j)+held)
		if older := f.parent[j]; older >= 0 {
			info.SetSym(older, older, info.At(older, older)+held)
			info.SetSym(older, j, info.At(older, j)-held)
		}
	}
	out := make([]float64, p)
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(info) || chol.InverseTo(&inverse) != nil {
		return out
	}
	for j := range out {
		out[j] = math.Sqrt(inverse.At(j, j))
	}
	return out
}
