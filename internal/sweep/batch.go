package sweep

import (
	"strconv"

	"planner/internal/ask"
	"planner/internal/catalog"
)

// batch returns the global batch of a point. Strong scaling takes the one
// given, or the default of the largest number of GPUs; weak scaling lets it
// grow with the GPUs from that of the smallest number.
func (r *Request) batch() (func(*ask.Question) int, error) {
	if r.axis("gpus") < 0 || r.axis("global-batch") >= 0 {
		return func(q *ask.Question) int { return q.GlobalBatch }, nil
	}
	least, most, common := 1<<30, 0, 1
	for _, v := range r.Axes[r.axis("gpus")].Values {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > catalog.MaxGPUs {
			return nil, catalog.Errorf("--gpus %s: out of range: want 1 to 1,048,576", v)
		}
		least, most, common = min(least, n), max(most, n), lcm(common, n)
	}
	given, gpus := r.Base.GlobalBatch, most
	if r.Scale == Weak {
		gpus = least
	}
	return func(q *ask.Question) int {
		b := given
		if b == 0 {
			b = even(defaultBatch(*q, gpus), common)
		}
		if r.Scale == Weak {
			return max(1, b*q.GPUs/least)
		}
		return b
	}, nil
}

// even raises a default batch to one that every number of GPUs divides, where
// that does not make it much larger.
func even(batch, common int) int {
	if batch == 0 || common > batch {
		return batch
	}
	return (batch + common - 1) / common * common
}

// lcm returns the least common multiple, at most 2³¹.
func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return min(a/x*b, 1<<31)
}

// defaultBatch is the batch that a question with gpus GPUs would get; 0 where
// the question is wrong, which Ask will say.
func defaultBatch(q ask.Question, gpus int) int {
	q.GPUs = gpus
	a, err := ask.Ask(q)
	if err != nil {
		return 0
	}
	return a.GlobalBatch
}
