package strategies

import (
	"fmt"
	"strconv"
	"strings"
)

// Complete fills what a layout string left out for a cluster of gpus ranks,
// and checks that the degrees multiply to it.
func (l Layout) Complete(gpus int) (Layout, *Violation) {
	for _, p := range []*int{&l.TP, &l.PP, &l.VPP, &l.CP, &l.EP, &l.MBS} {
		*p = max(*p, 1)
	}
	if l.ETP == 0 {
		l.ETP = l.TP
	}
	model := l.TP * l.PP * l.CP
	if l.DP == 0 {
		if gpus%model != 0 {
			low := gpus / model * model
			return l, offering(RuleWorld, degrees(&l), fmt.Sprintf("%d GPUs are not a multiple of tp·pp·cp = %d", gpus, model), append(uses("--gpus ", low, low+model), lower(l, gpus)...)...)
		}
		l.DP = gpus / model
	}
	if l.World() != gpus {
		return l, worldViolation(&l, gpus)
	}
	if l.Shard == 0 {
		l.Shard = l.DataRanks()
	}
	if l.PP == 1 {
		l.Schedule = OneFOneB
	}
	return l, nil
}

// lower offers smaller degrees of which each alone lets the GPUs divide.
func lower(l Layout, gpus int) (offers []string) {
	model := l.TP * l.PP * l.CP
	for _, d := range []struct {
		key   string
		value int
	}{{"tp=", l.TP}, {"pp=", l.PP}, {"cp=", l.CP}} {
		offers = append(offers, uses(d.key, below(d.value, func(n int) bool { return gpus%(model/d.value*n) == 0 }))...)
	}
	return offers
}

func worldViolation(l *Layout, gpus int) *Violation {
	offers := uses("--gpus ", l.World())
	if model := l.TP * l.PP * l.CP; gpus%model == 0 {
		offers = append(uses("dp=", gpus/model), offers...)
	}
	return offering(RuleWorld, degrees(l)+","+pair("dp", l.DP), fmt.Sprintf("tp·cp·pp·dp = %d, but there are %d GPUs", l.World(), gpus), offers...)
}

func degrees(l *Layout) string {
	var parts []string
	for _, d := range []struct {
		k string
		v int
	}{{"tp", l.TP}, {"pp", l.PP}, {"cp", l.CP}} {
		if d.v > 1 {
			parts = append(parts, d.k+"="+strconv.Itoa(d.v))
		}
	}
	if parts == nil {
		return "tp=1"
	}
	return strings.Join(parts, ",")
}
