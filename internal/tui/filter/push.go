package filter

import (
	"slices"
	"strconv"
	"strings"

	"planner/hardware/unit"
	"planner/strategies"
)

// Narrow returns the space with what a search can be told of the filter:
// degrees, ZeRO stages, micro-batches and the memory allowed. What it cannot
// be told, Match still decides. A search of the narrowed space keeps every
// layout that passes the filter. It is not possible where no value of some
// dimension passes.
func (f *Filter) Narrow(s strategies.Space, gpus int) (narrow strategies.Space, possible bool) {
	possible = true
	for i := range f.terms {
		t := &f.terms[i]
		if t.number == nil {
			continue
		}
		if t.number.name == "mem" && t.op[0] == '<' && !t.not {
			if m := unit.Bytes(t.values[0]); s.MaxMemory == 0 || m < s.MaxMemory {
				s.MaxMemory = m
			}
		}
		if t.number.push == nil {
			continue
		}
		to := t.number.push(&s)
		var kept []int
		for _, v := range candidates(t, *to, gpus) {
			if t.accepts(float64(v)) != t.not {
				kept = append(kept, v)
			}
		}
		possible = possible && kept != nil
		*to = kept
	}
	return s, possible
}

// Explicit reports whether the filter says anything of layouts that a search
// could be told.
func (f *Filter) Explicit() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		return t.number != nil && (t.number.push != nil || t.number.name == "mem")
	})
}

// candidates are the values that a search would try of a dimension.
func candidates(t *term, now []int, gpus int) []int {
	switch {
	case now != nil:
		return now
	case t.number.name == "zero":
		return []int{0, 1, 2, 3}
	case t.number.name == "mbs":
		out := []int{1, 2, 4, 8, 16}
		for _, v := range t.values {
			if n := int(v); float64(n) == v && n > 0 && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return out
	case t.number.name == "vpp" || t.number.name == "ep":
		out := make([]int, 1024)
		for i := range out {
			out[i] = i + 1
		}
		return out
	}
	var out []int
	for d := 1; d*d <= gpus; d++ {
		if gpus%d == 0 {
			out = append(out, d)
			if d*d != gpus {
				out = append(out, gpus/d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Flags returns the flags of `planner suggest` that say the same of a search,
// for the command that reproduces a view.
func (f *Filter) Flags() []string {
	var out []string
	for i := range f.terms {
		t := &f.terms[i]
		switch {
		case t.number == nil || t.not:
		case t.number.name == "mem" && t.op[0] == '<':
			out = append(out, "--max-memory "+strconv.FormatFloat(t.values[0]/float64(unit.GiB), 'f', -1, 64)+"GiB")
		case t.number.push != nil:
			if v := t.flagValues(); v != "" {
				out = append(out, "--"+t.number.name+" "+v)
			}
		}
	}
	return out
}

func (t *term) flagValues() string {
	var list []string
	high := 64
	if t.number.name == "zero" {
		high = 3
	}
	for v := 0; v <= high; v++ {
		if t.accepts(float64(v)) && (v > 0 || t.number.name == "zero") && (t.op != ">" && t.op != ">=" || v&(v-1) == 0 || high == 3) {
			list = append(list, strconv.Itoa(v))
		}
	}
	return strings.Join(list, ",")
}
