package knob

import (
	"slices"
	"strconv"

	"planner/costmodel"
	"planner/internal/catalog"
	"planner/strategies"
)

// powers offers 1, 2, 4 … up to high and the number of GPUs.
func powers(high int) func(*Point) []int {
	return func(pt *Point) (out []int) {
		for v := 1; v <= min(high, pt.Question.GPUs); v *= 2 {
			out = append(out, v)
		}
		return out
	}
}

// pipelines offers the numbers of stages that divide the GPUs and leave each
// stage a layer.
func pipelines(pt *Point) (out []int) {
	layers := pt.Answer.Problem.Model.Layers()
	for v := 1; v <= min(layers, pt.Question.GPUs, 64); v++ {
		if pt.Question.GPUs%v == 0 {
			out = append(out, v)
		}
	}
	return out
}

// virtuals offers the divisors of the layers of a stage.
func virtuals(pt *Point) (out []int) {
	per := pt.Answer.Problem.Model.Layers() / max(1, pt.Layout.PP)
	for v := 1; v <= min(per, 64); v++ {
		if per%v == 0 {
			out = append(out, v)
		}
	}
	return out
}

// shards offers the data ranks halved down to 1: a rank fewer each is no
// smaller a group that a network would know.
func shards(pt *Point) (out []int) {
	for v := pt.Layout.DataRanks(); v >= 1; v /= 2 {
		out = append(out, v)
		if v%2 != 0 {
			break
		}
	}
	slices.Reverse(out)
	return out
}

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

// schedules offers the orders of a pipeline without virtual stages.
func schedules(pt *Point) ([]string, int) {
	var texts []string
	for _, n := range costmodel.ScheduleNames() {
		if n != strategies.Interleaved.String() {
			texts = append(texts, n)
		}
	}
	return texts, max(0, slices.Index(texts, pt.Layout.Schedule.String()))
}

// setTP carries SP and ETP along: SP is the default above 1, ETP follows TP
// where it did.
func setTP(l *strategies.Layout, v int, _ *Point) {
	if l.ETP == l.TP {
		l.ETP = v
	}
	l.SP = v > 1 && (l.SP || l.TP == 1)
	l.TP = v
}

// setPP keeps the most virtual stages that still divide the layers, at most
// as many as before.
func setPP(l *strategies.Layout, v int, pt *Point) {
	layers := pt.Answer.Problem.Model.Layers()
	vpp := l.VPP
	for vpp > 1 && (v == 1 || layers%(v*vpp) != 0) {
		vpp--
	}
	l.PP = v
	setVPP(l, vpp, pt)
}

// setVPP takes the schedule that the number of virtual stages implies, and
// splits layers that do not divide.
func setVPP(l *strategies.Layout, v int, pt *Point) {
	if (v > 1) != (l.VPP > 1) || l.PP == 1 {
		l.Schedule = strategies.OneFOneB
		if v > 1 {
			l.Schedule = strategies.Interleaved
		}
	}
	l.VPP = v
	split(l, pt.Answer.Problem.Model.Layers())
}

// setZero drops a shard, which means nothing at stage 0.
func setZero(l *strategies.Layout, v int, _ *Point) {
	if v == 0 || l.Zero == 0 {
		l.Shard = l.DataRanks()
	}
	l.Zero = v
}
