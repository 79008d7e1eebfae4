package strategies_test

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/strategies"
)

// row is one kind of call of a table: what one rank of a stage issues in a
// step. Rows of equal op, phase, group, type and size are one.
type row struct {
	op, phase   string
	m           float64 // bytes of one call, M of nccl-tests
	count       float64
	size, nodes int
	dtype       string
}

func (r row) key() string {
	return fmt.Sprintf("%s %s of %d on %d, %s, %.0f bytes", r.op, r.phase, r.size, r.nodes, r.dtype, r.m)
}

// dims are the sizes of a model and a layout, in the symbols of the sources:
// s sequence, b micro-batch, h hidden, a heads, kv, d head, f MLP, v padded
// vocabulary, t TP, c CP, m micro-batches, n layers of the rank.
type dims struct {
	s, b, h, a, kv, d, f, v float64
	t, c, m, n              float64
	tpNodes                 int
}

// act is A = (s/c)·b·h·2.
func (x dims) act() float64 { return x.s / x.c * x.b * x.h * 2 }

// matrices returns the elements of a gated layer's matrices: queries, keys,
// values, output, and three of the MLP.
func (x dims) matrices() float64 { return x.h*(x.a+2*x.kv)*x.d + x.a*x.d*x.h + 3*x.h*x.f }

func (x dims) tp(op, phase string, m, count float64, dtype string) row {
	return row{op, phase, m, count, int(x.t), max(1, x.tpNodes), dtype}
}

// sequenceParallel is Megatron's TP with SP: 2 AllGathers and 2 ReduceScatters
// forward, 4 and 2 backward a layer (layers.py:623-709), regather counting the
// two that gather the saved input again.
func (x dims) sequenceParallel(regather float64) []row {
	each := x.m * x.n
	return []row{x.tp("all_gather", "forward", x.act(), 2*each, "bf16"), x.tp("reduce_scatter", "forward", x.act(), 2*each, "bf16"),
		x.tp("all_gather", "backward", x.act(), (2+regather)*each, "bf16"), x.tp("reduce_scatter", "backward", x.act(), 2*each, "bf16")}
}

// embedding is the vocabulary-parallel embedding under SP, head the LM head
// with the unfused vocabulary-parallel loss.
func (x dims) embedding() []row {
	return []row{x.tp("reduce_scatter", "forward", x.act(), x.m, "bf16"), x.tp("all_gather", "backward", x.act(), x.m, "bf16")}
}

func (x dims) head(regather float64) []row {
	return []row{x.tp("all_gather", "forward", x.act(), x.m, "bf16"), x.tp("all_gather", "backward", x.act(), regather*x.m, "bf16"),
		x.tp("reduce_scatter", "backward", x.act(), x.m, "bf16"), x.tp("all_reduce", "forward", 4*x.s*x.b/x.c, 3*x.m, "fp32")}
}

// batch is the broadcast of a micro-batch: so many int64 tensors of s·b, and
// the fp32 loss mask where the loss is.
func (x dims) batch(tensors, masks float64) []row {
	return []row{x.tp("broadcast", "forward", 8*x.s*x.b, tensors*x.m, "int64"), x.tp("broadcast", "forward", 4*x.s*x.b, masks*x.m, "fp32")}
}

// hops are the messages of a pipeline rank: forward received and sent, and the
// gradients of both.
func hops(m, in, out float64, nodes int) []row {
	return []row{{"recv", "forward", m, in, 2, nodes, "bf16"}, {"send", "forward", m, out, 2, nodes, "bf16"},
		{"recv", "backward", m, out, 2, nodes, "bf16"}, {"send", "backward", m, in, 2, nodes, "bf16"}}
}

// buckets cuts elements into calls of at most size.
func buckets(op, phase string, elements, size, bytes, times float64, group, nodes int, dtype string) []row {
	whole := math.Floor(elements / size)
	return []row{{op, phase, size * bytes, whole * times, group, nodes, dtype}, {op, phase, (elements - whole*size) * bytes, times, group, nodes, dtype}}
}

// finish is what a step ends with: the gradient norm over all ranks and, on the
// rank with the loss, the loss over the data-parallel ranks.
func finish(normRanks, normNodes, lossRanks, lossNodes int) []row {
	return []row{{"all_reduce", "optimizer", 4, 1, normRanks, normNodes, "fp32"}, {"all_reduce", "optimizer", 8, 1, lossRanks, lossNodes, "fp32"}}
}

// table is the expected calls of one stage of a layout.
type table struct {
	q      ask.Question
	layout string
	stage  int
	want   [][]row
	only   int // compare the calls of groups of this size; 0: all
}

func (x table) name() string {
	return fmt.Sprintf("%s %s %s stage %d", x.q.Model, x.q.Framework, x.layout, x.stage)
}

// sum joins rows of one kind and drops those that are never issued.
func sum(rows []row) map[string]row {
	out := map[string]row{}
	for _, r := range rows {
		if r.count == 0 || r.m < 1 || r.size < 2 {
			continue
		}
		old := out[r.key()]
		r.count += old.count
		out[r.key()] = r
	}
	return out
}

// wireFactor is what a rank sends of M with a ring (nccl-tests
// doc/PERFORMANCE.md).
func wireFactor(op string, n float64) float64 {
	switch op {
	case "all_reduce":
		return 2 * (n - 1) / n
	case "reduce_scatter", "all_gather", "all_to_all":
		return (n - 1) / n
	case "recv":
		return 0
	}
	return 1
}

func (x table) check(t *testing.T) {
	a, err := ask.Ask(x.q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(x.layout)
	if err != nil {
		t.Fatal(err)
	}
	got := sum(rowsOf(t, a.Problem.Explain(l, f), x.stage))
	var want []row
	for _, r := range x.want {
		want = append(want, r...)
	}
	var lines []string
	for k, w := range sum(want) {
		if g, ok := got[k]; !ok || math.Abs(g.count-w.count) > 1e-6*w.count {
			lines = append(lines, fmt.Sprintf("- %s: want %v calls, got %v", k, w.count, g.count))
		}
		delete(got, k)
	}
	for k, g := range got {
		if x.only > 0 && g.size != x.only {
			continue
		}
		lines = append(lines, fmt.Sprintf("+ %s: want none, got %v", k, g.count))
	}
	if lines != nil {
		sort.Strings(lines)
		t.Errorf("\n%s", strings.Join(lines, "\n"))
	}
}

// rowsOf returns the calls of one stage that every step makes, their wire
// bytes checked.
func rowsOf(t *testing.T, x *strategies.Explanation, stage int) []row {
	var out []row
	for i := range x.Calls {
		c := &x.Calls[i]
		if c.Stage != stage || !c.Phase.InStep() {
			continue
		}
		r := row{c.Op.String(), c.Phase.String(), math.Round(float64(c.Bytes)), c.Count, c.Span.Size, c.Span.Domains, c.DType.String()}
		if want := wireFactor(r.op, float64(r.size)) * float64(c.Bytes); !near(float64(c.Wire()), want, 1e-9) {
			t.Errorf("%s sends %v bytes, want %v", r.key(), c.Wire(), want)
		}
		out = append(out, r)
	}
	return out
}

// A stage of one layer gathers that layer, not the root.
func TestOneLayerStagesGatherLayers(t *testing.T) {
	a, err := ask.Ask(question("llama3.1-8b", "h100-sxm-80gb", "torchtitan", 64, 64, 4096))
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout("pp=32,dp=2,zero=3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Problem.Explain(l, f).Calls {
		if c.Stage == 5 && strings.Contains(c.Purpose, "embedding") {
			t.Errorf("stage 5 of 32 makes %q", c.Purpose)
		}
	}
}

// Twice the tokens on the busiest expert rank are twice the bytes between the
// ranks that split it.
func TestImbalanceReachesExpertTensor(t *testing.T) {
	bytes := func(imbalance float64) (sum unit.Bytes) {
		q := question("mixtral-8x22b", "h100-sxm-80gb", "megatron", 64, 128, 4096)
		q.Imbalance = imbalance
		a, err := ask.Ask(q)
		if err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout("tp=2,ep=8,etp=2,dp=32,zero=1")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.Problem.Explain(l, f).Calls {
			if strings.HasPrefix(c.Purpose, "expert input") && c.Op == collective.AllGather {
				sum += c.Bytes
			}
		}
		return sum
	}
	if one, two := bytes(1), bytes(2); one == 0 || two != one.Times(2) {
		t.Errorf("%v at load 1, %v at load 2", one, two)
	}
}
