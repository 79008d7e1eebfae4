package step

import (
	"fmt"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/verify/replay"
)

// Check says what a work holds that ranks cannot run: it may come from a file.
func Check(w *replay.Work) error {
	for i, p := range w.Programs {
		if err := check(p); err != nil {
			return fmt.Errorf("program %d: %w", i, err)
		}
	}
	for i, s := range w.Samples {
		if len(s.Groups) == 0 || s.Bytes < 1 || s.Bytes > 16<<30 || s.Op >= collective.NumOps {
			return fmt.Errorf("sample %d: op %d, %d bytes, %d groups: want an operation, 1 to 16 GiB, at least one group", i, s.Op, s.Bytes, len(s.Groups))
		}
	}
	return nil
}

// mostSlots bounds the calls of a step on one rank.
const mostSlots = 1 << 20

// mostTimes bounds the layers of a stage, the kernels of one and its experts.
const mostTimes = 1 << 14

func check(p *replay.Program) error {
	if p.Inner < 1 || len(p.Stages) < 1 || p.Slots < 0 || p.Slots > mostSlots || len(p.Mixes) != 0 && len(p.Mixes) != len(p.Stages) {
		return fmt.Errorf("%d ranks a stage, %d stages, %d slots, %d mixes: not a program", p.Inner, len(p.Stages), p.Slots, len(p.Mixes))
	}
	for _, m := range p.Mixes {
		for _, part := range m.Parts {
			if part.Times < 0 || part.Times > mostTimes || len(part.Kernels) > mostTimes || !(m.Once >= 0) || !(m.Host >= 0) || m.Host > 3600 {
				return fmt.Errorf("mix of %d kernels %d times: not a mix", len(part.Kernels), part.Times)
			}
			for _, k := range part.Kernels {
				if min(k.M, k.N, k.K, k.Groups) < 0 || max(k.M, k.N, k.K) > 1<<28 || k.Groups > mostTimes || k.Product > costmodel.WeightGrad || k.Bytes < 0 || !(k.Seconds >= 0) {
					return fmt.Errorf("kernel %+v: not a kernel", k)
				}
			}
		}
	}
	for i, c := range p.Calls {
		if c.Op >= collective.NumOps || c.Bytes < 0 || c.Bytes > 16<<30 || c.Size < 1 || c.Stride < 1 {
			return fmt.Errorf("call %d: op %d, %d bytes, %d ranks, %d apart: not a call", i, c.Op, c.Bytes, c.Size, c.Stride)
		}
	}
	for s := range p.Stages {
		for i, a := range p.Stages[s] {
			bad := a.Kind > replay.Wait || a.Kind != replay.Delay && (int(a.Slot) >= p.Slots || a.Slot < 0) || a.Kind == replay.Start &&
				(int(a.Row) >= len(p.Calls) || a.Row < 0 || int(a.Peer) >= len(p.Stages) || a.Dir > 1) || !(a.Seconds >= 0)
			if bad {
				return fmt.Errorf("stage %d, action %d: %+v: not an action", s, i, a)
			}
		}
	}
	return nil
}
