package cuda

import (
	"fmt"
	"testing"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/gpu/fakes"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// machines are how ranks lie on GPUs.
var machines = []struct {
	name    string
	gpus    func(n int) []int
	noPeers bool
}{
	{"one GPU", func(n int) []int { return make([]int, n) }, false},
	{"a GPU each", func(n int) []int { return count(n, func(i int) int { return i }) }, false},
	{"a GPU each, no peer access", func(n int) []int { return count(n, func(i int) int { return i }) }, true},
	{"two on each GPU", func(n int) []int { return count(n, func(i int) int { return i / 2 }) }, false},
}

func count(n int, f func(int) int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// TestEveryCallIsExact runs every operation by every algorithm over 1 to 8
// ranks on a driver that orders streams by events alone, in a random order,
// and compares every element.
func TestEveryCallIsExact(t *testing.T) {
	path, reset := fakes.Driver(t)
	for i, m := range machines {
		for n := 1; n <= 8; n++ {
			t.Run(fmt.Sprintf("%s/%d", m.name, n), func(t *testing.T) {
				reset(fakes.CUDA{Devices: 8, Seed: n, NoPeers: m.noPeers})
				g := group(t, path, m.gpus(n))
				eachCall(n, func(c Call, inPlace bool) {
					if i == 0 || c.Type == []reduce.DType{reduce.F32, reduce.F16, reduce.BF16}[n%3] {
						exactly(t, g, c, inPlace, false)
					}
				})
			})
		}
	}
}

// TestGraphsAreExact does the same through captured graphs.
func TestGraphsAreExact(t *testing.T) {
	path, reset := fakes.Driver(t)
	for _, n := range []int{1, 2, 5, 8} {
		reset(fakes.CUDA{Devices: 8, Seed: n})
		g := group(t, path, count(n, func(i int) int { return i / 2 }))
		eachCall(n, func(c Call, inPlace bool) {
			if c.Type == reduce.F32 {
				exactly(t, g, c, inPlace, true)
			}
		})
	}
}

func group(t *testing.T, path string, ordinals []int) *Group {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGroup(d, ordinals)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func eachCall(n int, do func(c Call, inPlace bool)) {
	for op := range collective.NumOps {
		for i, alg := range steps.Algorithms(op) {
			for ty := range reduce.NumDTypes {
				for red := range reduce.NumOps {
					if !ptx.Serves(ty) || red != reduce.Sum && !op.Reduces() {
						continue
					}
					for _, k := range []int{1, n + 1, 1031} {
						s := steps.Spec{Op: op, Alg: alg, Ranks: n, Root: (k + i) % n, Count: k, Chunk: k / 3, Node: 1}
						if n%2 == 0 {
							s.Node = 2
						}
						s.Dest = (s.Root + 1) % n
						if !rooted(op) {
							s.Root = 0
						}
						do(Call{Spec: s, Type: ty, Reduction: red}, false)
						if steps.InPlace(s) {
							do(Call{Spec: s, Type: ty, Reduction: red}, true)
						}
					}
				}
			}
		}
	}
}

func rooted(op collective.Op) bool { return op >= collective.Broadcast }

func exactly(t *testing.T, g *Group, c Call, inPlace, graph bool) {
	t.Helper()
	d := bench.NewData(c.Spec, c.Type, c.Reduction)
	free := buffers(t, g, &c, d, inPlace)
	defer free()
	if err := run(g, c, graph); err != nil {
		t.Fatalf("%+v: %v", c.Spec, err)
	}
	e := c.Type.Size()
	for r := range c.Ranks {
		_, n := steps.Lens(c.Spec, r)
		out := make([]byte, n*e)
		if err := g.Read(r, out, c.Out[r]); err != nil {
			t.Fatal(err)
		}
		if wrong := d.Wrong(out, r); wrong > 0 {
			t.Fatalf("%v %v %v %v count %d root %d in place %v: rank %d of %d: %d wrong", c.Op, c.Alg, c.Type, c.Reduction,
				c.Count, c.Root, inPlace, r, c.Ranks, wrong)
		}
	}
}

func run(g *Group, c Call, graph bool) error {
	if !graph {
		if err := g.Do(c); err != nil {
			return err
		}
		return g.Wait()
	}
	x, err := g.Capture(c)
	if err != nil {
		return err
	}
	if err := x.Launch(); err != nil {
		return err
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return x.Close()
}

// buffers gives every rank memory, with its input in it.
func buffers(t *testing.T, g *Group, c *Call, d *bench.Data, inPlace bool) (free func()) {
	t.Helper()
	e := c.Type.Size()
	var held []func()
	get := func(r, n int) Pointer {
		p, err := g.Alloc(r, n)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, func() {
			if err := g.Free(r, p); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	for r := range c.Ranks {
		in, out := steps.Lens(c.Spec, r)
		off, _ := steps.Cut(c.Count, c.Ranks, r)
		var a, b Pointer
		if inPlace && in > 0 && out > 0 {
			a = get(r, max(in, out)*e)
			b = a
			if in < out {
				a += Pointer(off * e)
			} else if out < in {
				b += Pointer(off * e)
			}
		} else {
			a, b = get(r, in*e), get(r, out*e)
		}
		c.In, c.Out = append(c.In, a), append(c.Out, b)
		data := make([]byte, in*e)
		d.Fill(data, r)
		if err := g.Write(r, a, data); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, f := range held {
			f()
		}
	}
}
