package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/launch"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// tally is what a run of the matrix compared.
type tally struct {
	Calls, Elems, Wrong int
	First               string // the first call with wrong elements
}

func (t *tally) add(o tally) {
	t.Calls, t.Elems, t.Wrong = t.Calls+o.Calls, t.Elems+o.Elems, t.Wrong+o.Wrong
	if t.First == "" {
		t.First = o.First
	}
}

func init() { launch.Register("matrix", matrixWork) }

// matrixWork is one rank of a job that runs the matrix; rank 0 writes the tally
// of all.
func matrixWork(_ context.Context, j *launch.Job, args []byte) error {
	var stride int
	if err := json.Unmarshal(args, &stride); err != nil {
		return err
	}
	c, err := engine.New(j.World)
	if err != nil {
		return err
	}
	t, err := everything(c, stride)
	if err != nil {
		return err
	}
	if j.Rank == 0 {
		if err := json.NewEncoder(os.Stdout).Encode(t); err != nil {
			return err
		}
	}
	return c.Close()
}

// TestMatrix runs every operation, algorithm, type, reduction, count and
// placement over every transport and compares every element. It takes a
// sample of the calls; with PLANNER_MATRIX=full all, on 1 to 9 ranks.
func TestMatrix(t *testing.T) {
	full := os.Getenv("PLANNER_MATRIX") == "full"
	var all tally
	var mu sync.Mutex
	for kind := transport.Goroutine; kind <= transport.Mixed; kind++ {
		for _, n := range groupSizes(kind, full) {
			for _, shape := range shapes(kind, n) {
				t.Run(fmt.Sprintf("%v/%d/%v", kind, n, shape), func(t *testing.T) {
					stride := 13
					if full {
						stride = 1
					}
					got, err := matrix(t, kind, n, shape, stride)
					if err != nil || got.Wrong > 0 {
						t.Fatalf("%d wrong: %s: %v", got.Wrong, got.First, err)
					}
					mu.Lock()
					defer mu.Unlock()
					all.add(got)
				})
			}
		}
	}
	t.Logf("%d calls, %d elements compared, %d wrong", all.Calls, all.Elems, all.Wrong)
}

// groupSizes returns how many ranks a transport is tried with.
func groupSizes(kind transport.Kind, full bool) []int {
	switch {
	case full || kind == transport.Goroutine:
		return []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	case kind == transport.Shm:
		return []int{1, 2, 3, 5}
	case kind == transport.Mixed:
		return []int{3, 4}
	}
	return []int{2, 3}
}

// shapes returns the ways to lay n ranks out on nodes.
func shapes(kind transport.Kind, n int) []*transport.Shape {
	if kind == transport.Shm || kind == transport.TCP || kind == transport.Unix {
		return []*transport.Shape{nil}
	}
	var list []*transport.Shape
	for nodes := 2; nodes <= n; nodes++ {
		if n%nodes == 0 && (nodes < n || len(list) == 0) {
			list = append(list, &transport.Shape{Nodes: nodes, PerNode: n / nodes})
		}
	}
	if kind == transport.Goroutine || n == 1 {
		list = append(list, nil)
	}
	return list
}

func matrix(t *testing.T, kind transport.Kind, n int, shape *transport.Shape, stride int) (got tally, err error) {
	if kind == transport.Goroutine {
		err = job(t, kind, n, transport.Options{Shape: shape}, func(c *engine.Comm) error {
			mine, err := everything(c, stride)
			if c.Rank() == 0 {
				got = mine
			}
			return err
		})
		return got, err
	}
	var out bytes.Buffer
	err = launch.Run(t.Context(), launch.Spec{Work: "matrix", Args: stride, Ranks: n, Kind: kind, Shape: shape, Out: &out})
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &got)
	}
	return got, err
}

// everything runs every stride-th call of the matrix.
func everything(c *engine.Comm, stride int) (t tally, err error) {
	i := 0
	for call := range calls(c.Size()) {
		for _, inPlace := range []bool{false, true} {
			if i++; i%stride != 0 {
				continue
			}
			s, err := c.Plan(call)
			if err != nil {
				return t, err
			}
			if inPlace && !steps.InPlace(s) {
				continue
			}
			what := fmt.Sprintf("%v %v %v %v count %d root %d in place %v", call.Op, call.Algorithm.Algorithm,
				call.Type, call.Reduction, call.Count, call.Root, inPlace)
			wrong, err := runExact(c, call, inPlace)
			if err != nil {
				return t, fmt.Errorf("%s: %w", what, err)
			}
			_, out := steps.Lens(s, c.Rank())
			one := tally{Calls: 1, Elems: out, Wrong: wrong}
			if wrong > 0 {
				one.First = fmt.Sprintf("rank %d of %d: %s", c.Rank(), c.Size(), what)
			}
			t.add(one)
		}
	}
	return t, t.join(c)
}

// counts are numbers of elements that do and do not divide among n ranks,
// below and above what travels inside a slot; of an AllReduce, Reduce and
// Broadcast of f32 and bf16 also what runs fused and in segments.
func counts(n int, op collective.Op, ty reduce.DType) []int {
	list := []int{0, 1, n + 1, 64 * n, 4099}
	whole := op == collective.AllReduce || op == collective.Reduce || op == collective.Broadcast
	if whole && (ty == reduce.F32 || ty == reduce.BF16) {
		list = append(list, 33334, 600012)
	}
	return list
}

// calls yields every combination on n ranks.
func calls(n int) func(yield func(engine.Call) bool) {
	return func(yield func(engine.Call) bool) {
		for op := collective.Op(0); op < collective.Send; op++ {
			for _, alg := range steps.Algorithms(op) {
				for ty := range reduce.NumDTypes {
					for red := range reductions(op) {
						for _, k := range counts(n, op, ty) {
							if !yield(engine.Call{Op: op, Type: ty, Reduction: red, Count: k,
								Root: (k + int(alg)) % n, Algorithm: engine.Force(alg)}) {
								return
							}
						}
					}
				}
			}
		}
	}
}

func reductions(op collective.Op) reduce.Op {
	switch op {
	case collective.AllReduce, collective.ReduceScatter, collective.Reduce:
		return reduce.NumOps
	}
	return reduce.Sum + 1
}

// join adds up the ranks' elements.
func (t *tally) join(c *engine.Comm) error {
	b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(t.Elems)))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(t.Wrong)))
	err := c.AllReduce(b, b, 2, reduce.F64, reduce.Sum)
	t.Elems = int(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	t.Wrong = int(math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
	return err
}
