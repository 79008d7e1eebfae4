package cuda

import (
	"fmt"
	"runtime"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// Call is one collective over all ranks of a group.
type Call struct {
	steps.Spec
	Type      reduce.DType
	Reduction reduce.Op // of AllReduce, ReduceScatter and Reduce
	// In and Out are the buffers by rank, as long as steps.Lens says. They may
	// alias as steps.InPlace allows; unused ones are 0.
	In, Out []Pointer
}

// oneShotBytes is up to which message every rank reads all others' at once:
// fewest rounds, but n-1 times the traffic. The engine's tuning on hosts has
// the same shape; it has not been measured on GPUs.
const oneShotBytes = 64 << 10

// Choose returns the algorithm for a call of bytes over ranks that all reach
// each other: the direct ones, whose rounds are fewest.
func Choose(op collective.Op, bytes int) steps.Algorithm {
	switch {
	case op == collective.AllReduce && bytes <= oneShotBytes:
		return steps.OneShot
	case op == collective.AllReduce:
		return steps.TwoShot
	case op == collective.Broadcast:
		return steps.Binomial
	}
	return steps.Direct
}

func (c *Call) check(g *Group) error {
	switch {
	case c.Ranks != g.Size() || len(c.In) != c.Ranks || len(c.Out) != c.Ranks:
		return fmt.Errorf("%v over %d ranks with %d inputs and %d outputs: want %d of each, the group's", c.Op, c.Ranks,
			len(c.In), len(c.Out), g.Size())
	case c.Op.Reduces() && !ptx.Serves(c.Type):
		return fmt.Errorf("%v of %v: no kernel on GPUs: want f32, f16 or bf16", c.Op, c.Type)
	}
	for r := range c.Ranks {
		in, out := steps.Lens(c.Spec, r)
		if in > 0 && c.In[r] == 0 || out > 0 && c.Out[r] == 0 {
			return fmt.Errorf("%v: rank %d: no buffer: want %d elements in, %d out", c.Op, r, in, out)
		}
	}
	return nil
}

// Do puts a call on the ranks' streams and returns; [Group.Wait] waits for it.
func (g *Group) Do(c Call) error { return g.on(func() error { return g.do(c) }) }

func (g *Group) do(c Call) error {
	p, err := g.prepare(c)
	if err != nil {
		return err
	}
	return g.issue(&c, p)
}

// prepare returns the plan of a call and the memory that it needs.
func (g *Group) prepare(c Call) (*plan, error) {
	if err := c.check(g); err != nil {
		return nil, err
	}
	p := g.plans[c.Spec]
	if p == nil {
		var err error
		if p, err = compile(c.Spec); err != nil {
			return nil, err
		}
		g.plans[c.Spec] = p
	}
	for i, r := range g.ranks {
		if err := g.enter(r.gpu); err != nil {
			return nil, err
		}
		if err := g.reserve(&r.scratch, p.scratch[i]*c.Type.Size()); err != nil {
			return nil, err
		}
		if r.needsStage() {
			if err := g.reserve(&r.stage, p.longest*c.Type.Size()); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func (r *rank) needsStage() bool {
	for _, yes := range r.reaches {
		if !yes {
			return true
		}
	}
	return false
}

// Wait returns when everything on the streams is done. It fails when a kernel
// failed or the time is over; the group is then of no more use.
func (g *Group) Wait() error {
	return g.on(func() error {
		end := time.Now().Add(g.Timeout)
		for i, r := range g.ranks {
			if err := g.enter(r.gpu); err != nil {
				return err
			}
			for n := 0; ; n++ {
				q := g.d.streamQuery(r.stream)
				if q != notReady {
					if err := g.d.check(q, "cuStreamQuery"); err != nil {
						return fmt.Errorf("rank %d on GPU %d: %w", i, r.Ordinal, err)
					}
					break
				}
				if n%64 == 63 && time.Now().After(end) {
					return fmt.Errorf("rank %d on GPU %d: not done after %v", i, r.Ordinal, g.Timeout)
				}
				runtime.Gosched()
			}
		}
		return nil
	})
}
