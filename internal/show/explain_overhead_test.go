package show

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"planner/internal/ask"
)

var factor = regexp.MustCompile(`([0-9][0-9.,]*)( ms| s)?`)

// seconds works out a printed overhead by its figures alone.
func seconds(t *testing.T, formula string) float64 {
	t.Helper()
	sum := 0.0
	for _, term := range strings.Split(formula, " + ") {
		v := 1.0
		for _, m := range factor.FindAllStringSubmatch(term, -1) {
			n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
			if err != nil {
				t.Fatalf("%q: %v", term, err)
			}
			if m[2] == " ms" {
				n /= 1e3
			}
			v *= n
		}
		sum += v
	}
	return sum
}

// The parts of the overhead sum to it, and the printed formula gives it.
func TestOverheadFormula(t *testing.T) {
	cases := append(layoutsToExplain[:len(layoutsToExplain):len(layoutsToExplain)], struct {
		q      ask.Question
		layout string
	}{ask.Question{Model: "8b", GPUs: 512, Framework: "nanotron"}, "tp=2,pp=2,zero=1"}, struct {
		q      ask.Question
		layout string
	}{ask.Question{Model: "8b", GPUs: 64, Framework: "nanotron"}, "tp=1,pp=1,zero=0,mbs=4"})
	for _, c := range cases {
		_, x := explained(t, c.q, c.layout)
		if d := math.Abs(float64(x.Host.Sum()/x.Overhead) - 1); d > 1e-9 {
			t.Errorf("%s %s: parts of %.6f s, overhead of %.6f", c.q.Model, c.layout, x.Host.Sum(), x.Overhead)
		}
		how := overheadFormula(x)
		if got, want := seconds(t, how), float64(x.Overhead); math.Abs(got-want) > 0.001+1e-3*want {
			t.Errorf("%s %s: %.4f s of %q, want %.4f", c.q.Model, c.layout, got, how, want)
		}
	}
}

// Stragglers add their share for each doubling beyond 8 GPUs: 7 of them to
// 1,024, of the step without them.
func TestStragglersPart(t *testing.T) {
	a, x := explained(t, ask.Question{Model: "70b", GPUs: 1024, Framework: "megatron"}, "tp=8,pp=4,zero=1")
	each := x.Framework.FitFor(a.Problem.Cluster.GPU.Arch).Straggler
	if want := float64(x.Step) * 7 * each / (1 + 7*each); math.Abs(float64(x.Host.Stragglers)-want) > 1e-9*want {
		t.Errorf("stragglers take %.6f s, want %.6f", x.Host.Stragglers, want)
	}
	var b bytes.Buffer
	why(&b, a.Problem, x)
	if !strings.Contains(b.String(), "  overhead   = ") || !strings.Contains(b.String(), "s of stragglers = ") {
		t.Errorf("no overhead in\n%s", b.String())
	}
}

// A step of few tokens is launches for the most part, which bound has no word for.
func TestOverheadIsTheLargest(t *testing.T) {
	for _, c := range []struct {
		q    ask.Question
		want bool
	}{
		{ask.Question{Model: "llama3.2-1b", GPUs: 256, GlobalBatch: 256, SeqLen: 256}, true},
		{ask.Question{Model: "8b", GPUs: 64}, false},
	} {
		a, x := explained(t, c.q, "tp=8,zero=0")
		var b bytes.Buffer
		overhead(&b, a.Problem, x)
		if got := strings.Contains(b.String(), "largest part of this step"); got != c.want {
			t.Errorf("%s on %d: %v, want %v: overhead %.4f of %.4f s", c.q.Model, c.q.GPUs, got, c.want, x.Overhead, x.Step)
		}
	}
}
