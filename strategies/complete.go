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
			return l, &Violation{RuleWorld, degrees(&l), fmt.Sprintf("%d GPUs are not a multiple of tp·pp·cp = %d", gpus, model),
				fmt.Sprintf("use %s GPUs", either(low, low+model))}
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

func worldViolation(l *Layout, gpus int) *Violation {
	v := &Violation{Rule: RuleWorld, Given: degrees(l) + ",dp=" + strconv.Itoa(l.DP),
		Reason: fmt.Sprintf("tp·cp·pp·dp = %d, but there are %d GPUs", l.World(), gpus)}
	v.Remedy = fmt.Sprintf("use --gpus %d", l.World())
	if model := l.TP * l.PP * l.CP; gpus%model == 0 {
		v.Remedy = fmt.Sprintf("use dp=%d or --gpus %d", gpus/model, l.World())
	}
	return v
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

func either(low, high int) string {
	if low <= 0 {
		return strconv.Itoa(high)
	}
	return fmt.Sprintf("%d or %d", low, high)
}
