package knob

import (
	"slices"
	"strconv"

	"planner/internal/catalog"
)

// around offers a number halved twice and doubled twice.
func around(get func(*Point) int) func(*Point) ([]string, int) {
	return func(pt *Point) (texts []string, now int) {
		n := get(pt)
		for _, v := range []int{n / 4, n / 2, n, n * 2, n * 4} {
			if v < 1 || v > catalog.MaxGPUs || len(texts) > 0 && texts[len(texts)-1] == strconv.Itoa(v) {
				continue
			}
			if v == n {
				now = len(texts)
			}
			texts = append(texts, strconv.Itoa(v))
		}
		return texts, now
	}
}

// sequences offers powers of two up to what the model was trained to, and the
// present length.
func sequences(pt *Point) ([]string, int) {
	var list []int
	high := pt.Answer.Problem.Model.MaxSeq
	for v := 1024; v <= max(high, 8192) && v <= 1<<20; v *= 2 {
		list = append(list, v)
	}
	if now := pt.Question.SeqLen; !slices.Contains(list, now) {
		list = append(list, now)
		slices.Sort(list)
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = strconv.Itoa(v)
	}
	return texts, slices.Index(list, pt.Question.SeqLen)
}

// hardwares offers the accelerators, and the present cluster.
func hardwares(pt *Point) ([]string, int) {
	texts := catalog.AcceleratorNames()
	if !slices.Contains(texts, pt.Question.Hardware) {
		texts = append([]string{pt.Question.Hardware}, texts...)
	}
	return texts, slices.Index(texts, pt.Question.Hardware)
}
