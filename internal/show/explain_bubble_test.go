package show

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// The line of numbers of a bubble: factor/divisor × (S − 2 × W) = result for
// equal stages; here the figure of the table.
var (
	bubbleProduct = regexp.MustCompile(`= (\d+)(?:/(\d+))? × \(?([\d.]+) ms(?: − 2 × ([\d.]+) ms\))? = ([\d.]+) s`)
	bubbleCounted = regexp.MustCompile(`here ([\d.]+) s`)
)

func figure(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// TestBubble: the product that is printed is the result beside it, the figure of
// the table stands there too, and the factor is the schedule's: (p−1)·S,
// (p−1)/v·S (Narayanan et al. 2021, section 2.2), (p−1)·(S−2W) (Qi et al. 2024,
// table 1).
func TestBubble(t *testing.T) {
	for _, c := range []struct {
		layout, framework string
		batch             int
		factor            float64
	}{
		{"tp=8,pp=4,zero=1", "megatron", 64, 3},
		{"tp=8,pp=4,vpp=5,zero=1", "megatron", 64, 3. / 5},
		{"tp=8,pp=4,zero=1,schedule=zb-h1", "megatron", 64, 3},
		{"tp=8,pp=4,schedule=gpipe", "megatron", 64, 3},
		{"tp=8,pp=4", "megatron", 4, 3},
		{"tp=8,pp=8,first=8,last=6", "megatron", 4, 7},
		{"tp=8,pp=4", "nanotron", 512, 3},
		{"tp=4,pp=4,zero=2", "torchtitan", 64, 3},
	} {
		t.Run(c.layout+" "+c.framework, func(t *testing.T) {
			a, x := explained(t, ask.Question{Model: "70b", GPUs: 64, GlobalBatch: c.batch, Framework: c.framework}, c.layout)
			var b bytes.Buffer
			bubble(&b, a.Problem, x)
			m := bubbleProduct.FindStringSubmatch(b.String())
			if m == nil {
				t.Fatalf("no product in\n%s", b.String())
			}
			factor := figure(m[1])
			if m[2] != "" {
				factor /= figure(m[2])
			}
			got, want := factor*(figure(m[3])-2*figure(m[4]))/1e3, figure(m[5])
			if factor != c.factor || math.Abs(got-want) > 0.001+0.0002*factor {
				t.Errorf("factor %g of %g, %.4f s of %.4f", factor, c.factor, got, want)
			}
			if (m[4] != "") != strings.HasSuffix(c.layout, "zb-h1") {
				t.Errorf("W under another schedule, or none under zb-h1:\n%s", b.String())
			}
			shown := want
			if here := bubbleCounted.FindStringSubmatch(b.String()); here != nil {
				shown = figure(here[1])
			}
			if math.Abs(shown-float64(x.Bubble)) > 0.00101 {
				t.Errorf("shows %.3f s, the table %.3f s:\n%s", shown, x.Bubble, b.String())
			}
		})
	}
}

// TestSlot: one more micro-batch lengthens the step by one slot of the slowest
// stage, and by the stragglers on it.
func TestSlot(t *testing.T) {
	for _, layout := range []string{"tp=8,pp=4,zero=1", "tp=8,pp=4,vpp=5,zero=1", "tp=8,pp=4,zero=1,schedule=zb-h1"} {
		step := func(micro int) (*strategies.Explanation, float64) {
			_, x := explained(t, ask.Question{Model: "70b", GPUs: 64, GlobalBatch: 2 * micro, Framework: "megatron"}, layout)
			return x, float64(x.Step)
		}
		x, few := step(400)
		_, more := step(800)
		got, want := float64(slot(x))*(1+x.Host.Share), (more-few)/400
		if math.Abs(got/want-1) > 0.01 {
			t.Errorf("%s: slot %.4f s, one more micro-batch takes %.4f s", layout, got, want)
		}
	}
}

// TestTooFewMicroBatches: the note has the table's share of the step.
func TestTooFewMicroBatches(t *testing.T) {
	a, x := explained(t, ask.Question{Model: "70b", GPUs: 64, GlobalBatch: 4, Framework: "megatron"}, "tp=8,pp=4")
	notes := strings.Join(ExplainWarnings(a, x), "\n")
	if want := fmt.Sprintf("2 micro-batches cannot fill 4 stages (bubble 60.0 %%), here %.1f %% of the step", 100*float64(x.Bubble/x.Step)); !strings.Contains(notes, want) {
		t.Errorf("no %q in\n%s", want, notes)
	}
}
