package show

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"planner/hardware/unit"
	"planner/internal/ask"
)

var (
	product = regexp.MustCompile(`^([0-9.]+)(?:e([69])|) (?:of [a-z ,]+ |micro-batch(?:es)? in flight )?× ([0-9.]+) (B|GiB)(?: of [^/]*)?(?: / ([0-9]+) ranks)?$`)
	amount  = regexp.MustCompile(`^([0-9.]+) GiB `)
)

// evaluate works out a printed formula by its figures alone, in GiB.
func evaluate(t *testing.T, formula string) float64 {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("%q: %v", formula, err)
		}
		return v
	}
	sum := 0.0
	for _, term := range strings.Split(formula, " + ") {
		if m := amount.FindStringSubmatch(term); m != nil {
			sum += number(m[1])
			continue
		}
		m := product.FindStringSubmatch(term)
		if m == nil {
			t.Fatalf("%q of %q is no product", term, formula)
		}
		v := number(m[1]) * number(m[3])
		if m[2] != "" {
			v *= math.Pow(10, number(m[2]))
		}
		if m[4] == "B" {
			v /= 1 << 30
		}
		if m[5] != "" {
			v /= number(m[5])
		}
		sum += v
	}
	return sum
}

// layoutsToExplain has every way to split state: dense and experts, ZeRO, offload,
// frozen parameters, quantised copies, a forward pass, virtual stages.
var layoutsToExplain = []struct {
	q      ask.Question
	layout string
}{
	{ask.Question{Model: "70b", GPUs: 1024}, "tp=4,pp=4,vpp=10,zero=1"},
	{ask.Question{Model: "70b", GPUs: 1024}, "tp=8,pp=4,zero=0,mbs=2"},
	{ask.Question{Model: "70b", GPUs: 64}, "zero=3,recompute=full"},
	{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=2"},
	{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,offload=optimizer"},
	{ask.Question{Model: "8b", GPUs: 64, Trainable: 0.25}, "zero=1,tp=2"},
	{ask.Question{Model: "8b", GPUs: 64, Trainable: 0.25, Framework: "fsdp"}, "zero=3"},
	{ask.Question{Model: "8b", GPUs: 64, Precision: "fp8"}, "zero=1,tp=2"},
	{ask.Question{Model: "70b", GPUs: 16, GlobalBatch: 16, Pass: "forward"}, "zero=3"},
	{ask.Question{Model: "deepseek-v3", GPUs: 2048}, "tp=4,pp=8,ep=32,etp=1,zero=1,first=7,last=6"},
	{ask.Question{Model: "deepseek-v3", GPUs: 2048, Framework: "torchtitan"}, "tp=4,pp=16,cp=2,ep=16,etp=1,zero=2,shard=16,first=3,last=2"},
	{ask.Question{Model: "mixtral-8x7b", GPUs: 64}, "ep=8,zero=3"},
	{ask.Question{Model: "mixtral-8x7b", GPUs: 64}, "tp=2,ep=4,pp=2,zero=1"},
	{ask.Question{Model: "gpt3-175b", GPUs: 512}, "tp=8,pp=16,vpp=6,zero=1,recompute=selective"},
	{ask.Question{Model: "70b", GPUs: 512}, "tp=8,pp=8,schedule=gpipe,zero=1,recompute=full"},
}

// Every formula of memory gives the figure beside it, of two decimals, from its
// own figures of four digits.
func TestMemoryFormulas(t *testing.T) {
	for _, c := range layoutsToExplain {
		a, x := explained(t, c.q, c.layout)
		for _, part := range Components(&x.Memory) {
			switch part.Name {
			case "logits", "buffers", "fragmentation", "runtime":
				continue
			}
			how := memoryHow(a.Problem, x, part.Name)
			if part.Bytes == 0 && !strings.Contains(how, "×") {
				continue
			}
			if got, want := evaluate(t, how), part.Bytes.GiB(); math.Abs(got-want) > 0.005+1e-3*want {
				t.Errorf("%s %s: %s = %.3f GiB of %q, want %.3f", c.q.Model, c.layout, part.Name, got, how, want)
			}
		}
	}
}

// What is spelled out of the state sums to what is counted of it.
func TestStateTerms(t *testing.T) {
	for _, c := range layoutsToExplain {
		_, x := explained(t, c.q, c.layout)
		sums := map[string]unit.Bytes{}
		for i := range x.State {
			sums[x.State[i].Component] += x.State[i].Bytes()
		}
		for _, part := range Components(&x.Memory)[:4] {
			if d := math.Abs(float64(sums[part.Name] - part.Bytes)); d > 1e-9*float64(part.Bytes)+1 {
				t.Errorf("%s %s: %s of %.0f bytes from terms, %.0f counted", c.q.Model, c.layout, part.Name, float64(sums[part.Name]), float64(part.Bytes))
			}
		}
	}
}

// Fragmentation is its printed share of the two figures above it.
func TestFragmentationFormula(t *testing.T) {
	for _, c := range layoutsToExplain {
		a, x := explained(t, c.q, c.layout)
		share, _, _ := strings.Cut(memoryHow(a.Problem, x, "fragmentation"), " × (activations + logits)")
		v, err := strconv.ParseFloat(share, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v*(x.Memory.Activations+x.Memory.Logits).GiB(), x.Memory.Fragmentation.GiB(); math.Abs(got-want) > 0.005+1e-3*want {
			t.Errorf("%s %s: %.3f GiB of %s, want %.3f", c.q.Model, c.layout, got, share, want)
		}
	}
}

// DeepSeek-V3's experts are split over EDP ranks: of 671 B parameters the routed
// ones are 256 × 3 × 7168 × 2048 in each of 58 layers. Under EP 32 a rank holds 8
// of them, and of 64·4/(32·1) = 8 ranks with the same ones each updates an eighth.
func TestExpertsOverTheirOwnRanks(t *testing.T) {
	a, x := explained(t, ask.Question{Model: "deepseek-v3", GPUs: 2048}, "tp=4,pp=8,ep=32,etp=1,zero=1,first=7,last=6")
	perLayer := 8 * 3 * 7168 * 2048.0
	want := elements(perLayer*float64(x.Layers[x.Fullest])) + " of experts × 4 B / 8 ranks"
	if how := memoryHow(a.Problem, x, "master"); !strings.Contains(how, want) || !strings.Contains(how, "/ 64 ranks + ") {
		t.Errorf("master: %q, want %q in it", how, want)
	}
}

// Interleaving holds 2(p−1)+(v−1)p+1 chunks of a v-th each on the first rank
// (Narayanan et al. 2021, section 2.2): of 4 stages in 10 chunks 43/10.
func TestInFlight(t *testing.T) {
	_, x := explained(t, ask.Question{Model: "70b", GPUs: 1024}, "tp=4,pp=4,vpp=10,zero=1")
	if how := activationsHow(x); !strings.HasPrefix(how, "4.3 micro-batches in flight × ") {
		t.Errorf("%q", how)
	}
	_, x = explained(t, ask.Question{Model: "8b", GPUs: 64}, "zero=3")
	if how := activationsHow(x); !strings.HasPrefix(how, "1 micro-batch in flight × ") {
		t.Errorf("%q", how)
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{"1 micro-batch": plural(1, "micro-batch"), "2 micro-batches": plural(2, "micro-batch"),
		"1 layer": plural(1, "layer"), "1,024 layers": plural(1024, "layer")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
