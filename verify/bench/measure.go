package bench

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/reduce"
)

// runner is one rank of a measurement.
type runner struct {
	c        *engine.Comm
	o        *Options
	sentinel *sentinel
	model    model
}

// row measures one size of one operation, again if the machine was disturbed.
func (r *runner) row(op collective.Op, size int) (Row, error) {
	call := r.o.call(op, size, r.c.Size())
	row := Row{Op: op.String(), Size: call.Bytes(), Count: call.Count, Type: ncclTypes[r.o.Type], Redop: "none", Root: -1}
	if pieces(op) {
		row.Count /= r.c.Size()
	}
	if op == collective.AllReduce || op == collective.ReduceScatter || op == collective.Reduce {
		row.Redop = r.o.Reduction.String()
	}
	switch op {
	case collective.Broadcast, collective.Reduce, collective.Gather, collective.Scatter:
		row.Root = r.o.Root
	}
	s, predicted, err := r.plan(call)
	if err != nil {
		return row, err
	}
	row.Algorithm, row.Predicted = s.Alg.String(), predicted
	const rounds = 3
	for row.Repeated = 0; ; row.Repeated++ {
		if err := r.round(&row, s, call); err != nil {
			return row, err
		}
		if row.Noisy, err = r.sentinel.disturbed(); err != nil || !row.Noisy || row.Repeated == rounds-1 {
			return row, err
		}
	}
}

// plan returns what the engine makes of a call and the microseconds that it
// should take.
func (r *runner) plan(call engine.Call) (s steps.Spec, us float64, err error) {
	if s, err = r.c.Plan(call); err == nil {
		us, err = r.model.predict(r.c, s, call.Type.Size())
	}
	return s, us, err
}

// round measures a row once, out of place and in place.
func (r *runner) round(row *Row, s steps.Spec, call engine.Call) (err error) {
	if row.Out, err = r.timing(s, call, false); err != nil {
		return err
	}
	row.In = nil
	if steps.InPlace(s) {
		t, err := r.timing(s, call, true)
		if err != nil {
			return err
		}
		row.In = &t
	}
	return nil
}

// timing checks one call on exact data and times it.
func (r *runner) timing(s steps.Spec, call engine.Call, inPlace bool) (Timing, error) {
	free, err := r.buffers(s, &call, inPlace)
	if err != nil {
		return Timing{}, err
	}
	defer free()
	d := NewData(s, call.Type, call.Reduction)
	d.Fill(call.In, r.c.Rank())
	if err := r.c.Do(call); err != nil {
		return Timing{}, err
	}
	wrong, err := r.total(d.Wrong(call.Out, r.c.Rank()))
	if err != nil {
		return Timing{}, err
	}
	us, err := r.times(func() error { return r.c.Do(call) })
	return newTiming(s.Op, us, call.Bytes(), s.Ranks, wrong), err
}

// buffers allocates call's buffers. In place, the shorter is the rank's piece
// of the longer, as in nccl-tests.
func (r *runner) buffers(s steps.Spec, call *engine.Call, inPlace bool) (free func(), err error) {
	e := call.Type.Size()
	in, out := steps.Lens(s, r.c.Rank())
	if !inPlace {
		if call.In, err = r.c.Alloc(in * e); err != nil {
			return nil, err
		}
		if call.Out, err = r.c.Alloc(out * e); err != nil {
			r.c.Free(call.In)
			return nil, err
		}
		a, b := call.In, call.Out
		return func() { r.c.Free(a); r.c.Free(b) }, nil
	}
	whole, err := r.c.Alloc(max(in, out) * e)
	if err != nil {
		return nil, err
	}
	off, _ := steps.Cut(s.Count, s.Ranks, r.c.Rank())
	call.In, call.Out = whole[:in*e], whole[:out*e]
	if in > 0 && in < out {
		call.In = whole[off*e : (off+in)*e]
	}
	if out > 0 && out < in {
		call.Out = whole[off*e : (off+out)*e]
	}
	return func() { r.c.Free(whole) }, nil
}

const (
	roundTime = 100 * time.Millisecond // what the iterations of a timing may take together
	minIters  = 5
	maxIters  = 1000
)

// times returns the sorted microseconds of f's iterations, each the slowest
// rank's. Every iteration begins at a barrier.
func (r *runner) times(f func() error) ([]float64, error) {
	begin := time.Now()
	for range r.o.Warmup + 1 {
		if err := f(); err != nil {
			return nil, err
		}
	}
	each, err := r.c.Slowest(time.Since(begin).Seconds() / float64(r.o.Warmup+1))
	if err != nil {
		return nil, err
	}
	n := r.o.Iters
	if n == 0 {
		n = int(min(max(roundTime.Seconds()/each, minIters), maxIters))
	}
	us := make([]float64, n)
	for i := range us {
		if err := r.c.Barrier(); err != nil {
			return nil, err
		}
		begin := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		us[i] = float64(time.Since(begin)) / 1e3
	}
	if err := r.slowest(us); err != nil {
		return nil, err
	}
	slices.Sort(us)
	return us, nil
}

// slowest replaces every value by the largest of all ranks.
func (r *runner) slowest(v []float64) error {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	if err := r.c.AllReduce(b, b, len(v), reduce.F64, reduce.Max); err != nil {
		return err
	}
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return nil
}

// total sums a count over the ranks.
func (r *runner) total(n int) (int, error) {
	b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(n)))
	err := r.c.AllReduce(b, b, 1, reduce.F64, reduce.Sum)
	return int(math.Float64frombits(binary.LittleEndian.Uint64(b))), err
}
