package kernel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// term is one constant of a fit: where it lives and how far its logarithm may
// stray from the starting value (the standard deviation of a normal prior).
type term struct {
	at *float64
	sd float64
}

// softScale is the log error beyond which a row counts linearly rather than
// quadratically: one tenth, the spread of repeated kernel timings between
// sources.
const softScale = 0.1

// leastSquares changes the terms so as to minimise Σ ρ(r/softScale) over the
// rows plus ((ln x − ln x₀)/sd)² over the terms, ρ(z) = 2(√(1+z²) − 1).
// residuals fills r with ln(predicted/measured) at the terms' current values.
//
// Levenberg–Marquardt with numeric derivatives; the loss is turned into
// weights 1/√(1+z²) at each step (iteratively reweighted least squares,
// Holland and Welsch 1977).
func leastSquares(terms []term, rows int, residuals func(r []float64)) {
	if len(terms) == 0 || rows == 0 {
		return
	}
	s := newSolver(terms, rows, residuals)
	cost := s.evaluate(s.r)
	for damping, i := 1e-2, 0; i < 60 && damping < 1e6; i++ {
		s.linearise()
		step := s.step(damping)
		s.move(step, 1)
		next := s.evaluate(s.trial)
		if next >= cost {
			s.move(step, -1)
			damping *= 4
			continue
		}
		done := cost-next < 1e-7*cost
		cost, damping = next, damping/3
		copy(s.r, s.trial)
		if done {
			return
		}
	}
}

// solver holds the state of a fit; x are the logarithms of the terms.
type solver struct {
	terms     []term
	residuals func([]float64)
	x, start  []float64
	r, trial  []float64
	jacobian  *mat.Dense // rows × terms
}

func newSolver(terms []term, rows int, residuals func([]float64)) *solver {
	s := &solver{terms: terms, residuals: residuals}
	for _, t := range terms {
		s.x = append(s.x, math.Log(*t.at))
	}
	s.start = slices.Clone(s.x)
	s.r, s.trial = make([]float64, rows), make([]float64, rows)
	s.jacobian = mat.NewDense(rows, len(terms), nil)
	return s
}

// set writes x[i] into its term.
func (s *solver) set(i int, x float64) {
	s.x[i] = x
	*s.terms[i].at = math.Exp(x)
}

// move adds k·step to the terms.
func (s *solver) move(step *mat.VecDense, k float64) {
	for i := range s.x {
		s.set(i, s.x[i]+k*step.AtVec(i))
	}
}

// evaluate fills r and returns the cost.
func (s *solver) evaluate(r []float64) float64 {
	s.residuals(r)
	sum := 0.0
	for _, v := range r {
		z := v / softScale
		sum += 2 * (math.Sqrt(1+z*z) - 1)
	}
	for i := range s.x {
		z := (s.x[i] - s.start[i]) / s.terms[i].sd
		sum += z * z
	}
	return sum
}

// linearise fills the Jacobian by forward differences.
func (s *solver) linearise() {
	const h = 1e-5
	for j := range s.x {
		x := s.x[j]
		s.set(j, x+h)
		s.residuals(s.trial)
		s.set(j, x)
		for i := range s.r {
			s.jacobian.Set(i, j, (s.trial[i]-s.r[i])/h)
		}
	}
}

// step solves the damped normal equations of the weighted problem.
func (s *solver) step(damping float64) *mat.VecDense {
	n := len(s.x)
	a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, r := range s.r {
		row := s.jacobian.RawRowView(i)
		z := r / softScale
		w := 1 / (softScale * softScale * math.Sqrt(1+z*z))
		a.SymRankOne(a, w, mat.NewVecDense(n, row))
		b.AddScaledVec(b, -w*r, mat.NewVecDense(n, row))
	}
	for j, t := range s.terms {
		p := 1 / (t.sd * t.sd)
		a.SetSym(j, j, (a.At(j, j)+p)*(1+damping))
		b.SetVec(j, b.AtVec(j)-p*(s.x[j]-s.start[j]))
	}
	step := mat.NewVecDense(n, nil)
	if err := step.SolveVec(a, b); err != nil {
		step.Zero() // the caller then raises the damping
	}
	return step
}

// Errors sums up ln(predicted/measured) over rows.
type Errors struct {
	Rows        int
	Median, P90 float64 // of |predicted/measured − 1|
	Bias        float64 // median of ln(predicted/measured)
}

// ErrorsOf returns the summary of the log residuals r.
func ErrorsOf(r []float64) Errors {
	if len(r) == 0 {
		return Errors{}
	}
	sorted, size := slices.Sorted(slices.Values(r)), make([]float64, len(r))
	for i, v := range r {
		size[i] = math.Abs(math.Expm1(v))
	}
	slices.Sort(size)
	return Errors{
		Rows:   len(r),
		Median: stat.Quantile(0.5, stat.Empirical, size, nil),
		P90:    stat.Quantile(0.9, stat.Empirical, size, nil),
		Bias:   stat.Quantile(0.5, stat.Empirical, sorted, nil),
	}
}
