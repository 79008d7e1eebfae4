package compare

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/plan"
	"planner/strategies"
)

// overrides are the keys of an argument that change the question.
var overrides = []string{"model", "gpus", "hardware", "seq-len", "global-batch", "precision", "framework", "pass", "attention",
	"trainable", "imbalance", "capacity-factor", "gpus-per-node", "inter-node"}

// Resolve reads one argument: a layout string, overrides of the question such
// as hardware=b200-sxm, both, the word best, or the file of a plan. Without a
// layout the best one is searched for. Errors are *catalog.Error.
func Resolve(ctx context.Context, base ask.Question, arg string) (*Side, error) {
	if isFile(arg) {
		return saved(arg)
	}
	q, layout, err := split(base, arg)
	if err != nil {
		return nil, err
	}
	a, err := ask.Ask(q)
	if err != nil {
		return nil, named(arg, err)
	}
	e, err := estimate(ctx, a, layout)
	if err != nil {
		return nil, named(arg, err)
	}
	return side(arg, plan.New(a, e, "", time.Time{}), &e.Memory, a)
}

// saved reads a side from a file. Its memory by component is predicted anew,
// and left out where the total is no longer the one that was saved.
func saved(file string) (*Side, error) {
	p, err := plan.Read(file)
	if err != nil {
		return nil, err
	}
	var m *strategies.Memory
	a, x, err := p.Estimate()
	if err == nil && math.Abs(float64(x.Memory.Total())/p.Predicted.Memory-1) < 0.01 {
		m = &x.Memory
	}
	return side(file, p, m, a)
}

// named puts the argument before a fault, where it is not in it.
func named(arg string, err error) error {
	if strings.Contains(err.Error(), arg) {
		return err
	}
	return catalog.Errorf("%q: %s", arg, err)
}

// side joins a plan with what is known of it; a is nil where its question no
// longer has an answer.
func side(given string, p *plan.Plan, m *strategies.Memory, a *ask.Answer) (*Side, error) {
	l, err := strategies.ParseLayout(p.Layout)
	if err != nil {
		return nil, catalog.Errorf("%s: %s", given, err)
	}
	l, v := l.Complete(p.Question.GPUs)
	if v != nil {
		return nil, catalog.Errorf("%s: layout %s", given, v)
	}
	s := &Side{Given: given, Plan: p, Layout: l, Memory: m}
	if a != nil {
		s.Layers = a.Problem.Model.Layers()
	}
	return s, nil
}

// isFile reports whether an argument is meant as a file: it exists, or ends as
// one and is no pair.
func isFile(arg string) bool {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return true
	}
	ext := strings.ToLower(filepath.Ext(arg))
	return !strings.Contains(arg, "=") && slices.Contains([]string{".toml", ".json", ".html", ".htm"}, ext)
}

// split parts an argument into the question it changes and its layout.
func split(q ask.Question, arg string) (ask.Question, string, error) {
	var layout []string
	if strings.TrimSpace(arg) == "best" {
		return q, "", nil
	}
	for _, pair := range strings.Split(arg, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		key = strings.TrimPrefix(key, "--")
		switch {
		case !ok:
			return q, "", catalog.Errorf("%q: not a layout, key=value or a file: want e.g. tp=8,pp=4 or hardware=b200-sxm or plan.toml", arg)
		case slices.Contains(overrides, key):
			if err := set(&q, key, value); err != nil {
				return q, "", err
			}
		case slices.Contains(strategies.Keys, key):
			layout = append(layout, key+"="+value)
		default:
			if n := catalog.Nearest(key, append(slices.Clone(overrides), strategies.Keys...)); n != "" {
				return q, "", catalog.Errorf("%q: unknown key %q: did you mean %q?", pair, key, n)
			}
			return q, "", catalog.Errorf("%q: unknown key %q: want a key of a layout, or %s", pair, key, strings.Join(overrides, ", "))
		}
	}
	return q, strings.Join(layout, ","), nil
}

func set(q *ask.Question, key, value string) (err error) {
	texts := map[string]*string{"model": &q.Model, "hardware": &q.Hardware, "precision": &q.Precision, "framework": &q.Framework,
		"pass": &q.Pass, "attention": &q.Attention}
	numbers := map[string]*int{"gpus": &q.GPUs, "seq-len": &q.SeqLen, "global-batch": &q.GlobalBatch, "gpus-per-node": &q.Options.GPUsPerNode}
	shares := map[string]*float64{"trainable": &q.Trainable, "imbalance": &q.Imbalance, "capacity-factor": &q.Capacity}
	pair := key + "=" + value
	switch {
	case value == "":
		return catalog.Errorf("%q: no value: want e.g. %s=…", pair, key)
	case texts[key] != nil:
		*texts[key] = value
	case numbers[key] != nil:
		parse := strconv.Atoi
		if key == "seq-len" || key == "global-batch" {
			parse = ask.ParseCount
		}
		if *numbers[key], err = parse(value); err != nil || *numbers[key] < 1 {
			return catalog.Errorf("%q: not a whole number of at least 1", pair)
		}
	case shares[key] != nil:
		if *shares[key], err = strconv.ParseFloat(value, 64); err != nil {
			return catalog.Errorf("%q: not a number", pair)
		}
	default:
		if q.Options.InterNode, err = unit.ParseBandwidth(value); err != nil {
			return catalog.Errorf("%q: %s", pair, err)
		}
	}
	return nil
}

func estimate(ctx context.Context, a *ask.Answer, layout string) (*strategies.Estimate, error) {
	if layout != "" {
		l, f, err := a.Layout(layout)
		if err != nil {
			return nil, err
		}
		return &a.Explain(l, f).Estimate, nil
	}
	r := a.Search(ctx, strategies.Space{}, strategies.Options{Top: 1})
	switch {
	case len(r.Ranking) > 0:
		return &r.Ranking[0], nil
	case r.Least != nil:
		return r.Least, nil
	}
	return nil, catalog.Errorf("no legal layout: change gpus or global-batch")
}
