package sweep

import (
	"strconv"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// points resolves the question of every point.
func (r *Request) points() ([]Point, error) {
	combos := [][]string{nil}
	for _, a := range r.Axes {
		var next [][]string
		for _, c := range combos {
			for _, v := range a.Values {
				next = append(next, append(append([]string{}, c...), v))
			}
		}
		combos = next
	}
	if len(combos) > MaxPoints {
		return nil, catalog.Errorf("%d points: too many: want at most %d; use coarser ranges", len(combos), MaxPoints)
	}
	batch, err := r.batch()
	if err != nil {
		return nil, err
	}
	var out []Point
	for _, values := range combos {
		q, err := r.question(values)
		if err != nil {
			return nil, err
		}
		q.GlobalBatch = batch(&q)
		a, err := ask.Ask(q)
		if err == nil && r.axis("framework") < 0 && r.axis("zero") < 0 {
			err = a.RefuseOffload()
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Point{Values: values, Answer: a})
	}
	return out, nil
}

func (r *Request) axis(name string) int {
	for i, a := range r.Axes {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// question returns the base question with the values of a point.
func (r *Request) question(values []string) (ask.Question, error) {
	q := r.Base
	for i, a := range r.Axes {
		if err := ask1(&q, a.Name, values[i]); err != nil {
			return q, err
		}
		limit(&q.Limits, a.Name, values[i])
	}
	return q, nil
}

// ask1 sets one part of a question; names of constraints are left alone.
func ask1(q *ask.Question, name, v string) error {
	texts := map[string]*string{"model": &q.Model, "hardware": &q.Hardware, "precision": &q.Precision, "framework": &q.Framework}
	numbers := map[string]*int{"gpus": &q.GPUs, "seq-len": &q.SeqLen, "global-batch": &q.GlobalBatch, "gpus-per-node": &q.Options.GPUsPerNode}
	switch {
	case texts[name] != nil:
		*texts[name] = v
	case numbers[name] != nil:
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return catalog.Errorf("--%s %s: too small: want at least 1", name, v)
		}
		*numbers[name] = n
	case name == "inter-node":
		b, err := unit.ParseBandwidth(v)
		if err != nil {
			return catalog.Errorf("--inter-node %s", err)
		}
		q.Options.InterNode = b
	}
	return nil
}

// limit sets one constraint; names of the question are left alone.
func limit(l *ask.Constraints, name, v string) {
	to := map[string]*string{"tp": &l.TP, "pp": &l.PP, "vpp": &l.VPP, "cp": &l.CP, "ep": &l.EP, "etp": &l.ETP, "zero": &l.Zero,
		"shard": &l.Shard, "mbs": &l.MBS, "recompute": &l.Recompute, "max-memory": &l.MaxMemory}
	if p := to[name]; p != nil {
		*p = v
	}
}

// Fix sets flags of one value each, the same at every point.
func (r *Request) Fix(single []Axis) error {
	for _, a := range single {
		if err := ask1(&r.Base, a.Name, a.Values[0]); err != nil {
			return err
		}
		limit(&r.Base.Limits, a.Name, a.Values[0])
	}
	return nil
}
