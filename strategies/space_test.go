package strategies_test

import (
	"fmt"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// fingerprint writes all that tells two layouts apart: the framework, every
// call and every byte of memory.
func fingerprint(p *strategies.Problem, e *strategies.Estimate) string {
	x := p.Explain(e.Layout, e.Framework)
	s := e.Framework.Name
	for _, c := range x.Calls {
		s += fmt.Sprint("\n", c.Stage, c.Op, c.Phase, c.Dims, c.Span, c.DType, c.Bytes, c.Count)
	}
	return s + fmt.Sprint("\n", e.Memory, x.Estimate.Compute)
}

// TestLayoutsAreDistinct: layouts with identical calls and memory count once.
// All of them fit, so that all are listed.
func TestLayoutsAreDistinct(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 8, GlobalBatch: 16, Hardware: "b300-sxm"})
	if err != nil {
		t.Fatal(err)
	}
	r := strategies.Search(t.Context(), a.Problem, strategies.Space{}, strategies.Options{KeepAll: true})
	if r.Fitting != r.Legal {
		t.Fatalf("%d of %d fit", r.Fitting, r.Legal)
	}
	seen := map[string]strategies.Layout{}
	for i := range r.Ranking {
		e := &r.Ranking[i]
		f := fingerprint(a.Problem, e)
		if l, ok := seen[f]; ok {
			t.Errorf("%s is the same as %s", l, e.Layout)
		}
		seen[f] = e.Layout
	}
}

// counted is how many layouts of 70b on gpus GPUs with a batch of as many
// sequences of 8192 the definition of the default space has, counted from its
// words: 80 layers, 64 heads over 8 of keys and values.
type counted struct {
	distinct   int
	replicated int // shard = 1: zero=0 by another name
	unfilled   int // GA < pp at zero≥2: only torchtitan has pipelines there, and refuses
	uneven     int // 8192 is no multiple of 2·cp·tp: refused by torchtitan too
}

func count(gpus int) (n counted) {
	const layers, seq = 80, 8192
	for tp := 1; tp <= 64; tp *= 2 {
		for cp := 1; tp*cp <= gpus && (cp == 1 || seq%(2*cp) == 0); cp *= 2 {
			for pp := 1; pp <= 16 && tp*cp*pp <= gpus; pp *= 2 {
				dp := gpus / (tp * cp * pp)
				for vpp := 1; vpp <= layers/pp && (pp > 1 || vpp == 1); vpp++ {
					for mbs := 1; mbs <= 16; mbs *= 2 {
						ga := gpus / (dp * mbs)
						if layers/pp%vpp != 0 || gpus%(dp*mbs) != 0 || vpp > 1 && ga%pp != 0 {
							continue
						}
						ways := 3 // of recomputation, and with SP
						if tp > 1 && seq/cp%tp == 0 {
							ways *= 2
						}
						n.add(ways, dp*cp, pp > 1 && ga < pp, seq%(2*cp*tp) != 0)
					}
				}
			}
		}
	}
	return n
}

// add counts the ways to split the state over ranks.
func (n *counted) add(ways, ranks int, unfilled, uneven bool) {
	n.distinct += ways // zero=0
	for zero := 1; zero <= 3; zero++ {
		for shard := 1; shard <= ranks; shard *= 2 {
			switch {
			case shard == 1:
				n.replicated += ways
			case zero > 1 && unfilled:
				n.unfilled += ways
			case zero > 1 && uneven:
				n.uneven += ways
			default:
				n.distinct += ways
			}
		}
	}
}

// TestDefaultSpace holds the number of layouts searched against the count.
func TestDefaultSpace(t *testing.T) {
	for gpus, want := range map[int]counted{
		1024:   {distinct: 392202, replicated: 67275, unfilled: 3714},
		131072: {distinct: 1511517, replicated: 134865, unfilled: 7914, uneven: 149700},
	} {
		if got := count(gpus); got != want {
			t.Errorf("%d GPUs: counted %+v, documented %+v", gpus, got, want)
		}
		a, err := ask.Ask(ask.Question{Model: "70b", GPUs: gpus, GlobalBatch: gpus})
		if err != nil {
			t.Fatal(err)
		}
		if r := strategies.Search(t.Context(), a.Problem, strategies.Space{}, strategies.Options{}); r.Legal != want.distinct {
			t.Errorf("%d GPUs: %d layouts searched, counted %d", gpus, r.Legal, want.distinct)
		}
	}
}
