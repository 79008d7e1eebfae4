package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Share is a profiler's share of the step for one kind of call.
type Share struct {
	Op    collective.Op
	Value float64 // fraction of the step
}

// ParseShares reads shares of different calls of one step, together at most
// all of it. Errors are *catalog.Error.
func ParseShares(texts []string) ([]Share, error) {
	var shares []Share
	sum := 0.0
	for _, text := range texts {
		s, err := ParseShare(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(shares, func(before Share) bool { return before.Op == s.Op }) {
			return nil, catalog.Errorf("--share %q: %s is given twice: want one share of each call, the sum of its kernels", text, s.Op)
		}
		if sum += s.Value; sum > 1+1e-9 {
			return nil, catalog.Errorf("--share %q: together %.4g %% of the step: want at most 100 %%", text, 100*sum)
		}
		shares = append(shares, s)
	}
	return shares, nil
}

// ParseShare reads "all_reduce=35%", "AllReduce=0.35" or a kernel's name such
// as "ncclDevKernel_AllGather_RING_LL=40%". Errors are *catalog.Error.
func ParseShare(text string) (Share, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return Share{}, catalog.Errorf("--share %q: not op=share: want e.g. all_reduce=35%%", text)
	}
	op, ok := parseOp(name)
	if !ok {
		var names []string
		for o := range collective.NumOps {
			names = append(names, o.String())
		}
		if n := catalog.Nearest(name, names); n != "" {
			return Share{}, catalog.Errorf("--share %q: unknown call %q: did you mean %q?", text, name, n)
		}
		return Share{}, catalog.Errorf("--share %q: unknown call %q: want %s", text, name, strings.Join(names, ", "))
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(value), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return Share{}, catalog.Errorf("--share %q: not a share of the step: want more than 0 to 100%%, e.g. all_reduce=35%%", text)
	}
	return Share{op, v}, nil
}

// parseOp finds an op in snake case, camel case or a kernel's name.
func parseOp(name string) (collective.Op, bool) {
	squeeze := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	given := squeeze(name)
	for _, exact := range []bool{true, false} {
		for op := range collective.NumOps {
			want := squeeze(op.String())
			kernel := strings.HasPrefix(given, "nccl") || strings.HasPrefix(given, "rccl")
			if given == want || !exact && kernel && strings.Contains(given, want) {
				return op, true
			}
		}
	}
	return 0, false
}

// general is what a large share of an op means whatever the layout, and what
// lessens it.
var general = map[collective.Op][2]string{
	collective.AllReduce:     {"the group crosses a slow link, or gradients are too large", "accumulate more micro-batches, shard (ZeRO), place the group inside a node"},
	collective.AllGather:     {"tensor parallelism is too fine, or ZeRO-3 gathers too finely", "persistence threshold, prefetch, HSDP; a smaller tp"},
	collective.ReduceScatter: {"it cannot overlap, or is cut in too small pieces", "larger buckets, overlap, a larger micro-batch"},
	collective.AllToAll:      {"tokens cross nodes to reach their experts, or loads are uneven", "ep inside a node, dispatcher=flex, balance the router"},
	collective.Send:          {"stages wait for one another", "virtual stages, more micro-batches, an even split of layers"},
	collective.Recv:          {"stages wait for one another: most of a recv is waiting", "virtual stages, more micro-batches, an even split of layers"},
	collective.Broadcast:     {"parameters or data are sent from one rank each step", "shard the optimizer (ZeRO), read data on every rank"},
}

// negligible is the predicted share, all of it exposed, under which a measured
// share cannot be a matter of this layout's traffic.
const negligible = 0.02

// Answer is what a measured share means.
type Answer struct {
	Share
	Makes   bool    // the layout makes such calls
	Exposed float64 // predicted share of the step that nothing hides
	Alone   float64 // predicted share if all of it were exposed
	Over    bool    // the share is over the threshold
	// Foreign says that the traffic of this layout cannot make such a share.
	Foreign   bool
	Diagnosis *strategies.Diagnosis
}

// answer applies the 30 % rule to a measured share: it is put in the place of
// the predicted one, and what the rule then says holds.
func (s *Subject) answer(share Share) Answer {
	x := s.Explain
	out := Answer{Share: share, Over: share.Value > strategies.Threshold}
	var alone, exposed unit.Seconds
	for i := range x.Calls {
		if c := &x.Calls[i]; c.Op == share.Op && c.Stage == x.Slowest && c.Phase.InStep() {
			alone += c.Total()
			exposed += c.Exposed
		}
	}
	out.Makes = alone > 0
	out.Exposed, out.Alone = float64(exposed/x.Step), float64(alone/x.Step)
	out.Foreign = out.Over && out.Alone < negligible
	if !out.Over || out.Foreign {
		return out
	}
	y := *x
	y.Calls = append([]collective.Call{}, x.Calls...)
	for i := range y.Calls {
		if c := &y.Calls[i]; c.Op == share.Op && c.Stage == x.Slowest && c.Phase.InStep() {
			c.Exposed = x.Step.Times(share.Value * float64(c.Total()/alone))
		}
	}
	found, _, _ := s.Answer.Problem.Diagnose(&y)
	for i := range found {
		if found[i].Op == share.Op {
			out.Diagnosis = &found[i]
		}
	}
	return out
}
