package knob

import (
	"sync"

	"planner/internal/ask"
)

// answers remembers what was asked: steppers ask the same few questions again
// with every key, and each reads its model and cluster anew. A model file is
// thus read once a session.
var answers struct {
	sync.Mutex
	known map[ask.Question]answered
}

type answered struct {
	answer *ask.Answer
	err    error
}

// maxAnswers bounds what is remembered.
const maxAnswers = 512

func answer(q ask.Question) (*ask.Answer, error) {
	answers.Lock()
	r, ok := answers.known[q]
	answers.Unlock()
	if ok {
		return r.answer, r.err
	}
	r.answer, r.err = ask.Ask(q)
	answers.Lock()
	defer answers.Unlock()
	if answers.known == nil || len(answers.known) >= maxAnswers {
		answers.known = map[ask.Question]answered{}
	}
	answers.known[q] = r
	return r.answer, r.err
}
