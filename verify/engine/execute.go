package engine

import (
	"planner/costmodel/collective/steps"
	"planner/verify/transport"
)

// execution is a program in progress on one rank.
type execution struct {
	port  *transport.Port
	bufs  [steps.NumBufs][]byte
	size  int // bytes per element
	merge transport.Merge
}

func (x *execution) at(r steps.Ref) []byte {
	return x.bufs[r.Buf][r.Off*x.size : (r.Off+r.Len)*x.size]
}

// run does the steps in order. A program's rounds ask that sends complete
// before the next round; it is enough to wait before something overwrites
// what they read, which Settle does, and at the end of the call.
func (x *execution) run(p steps.Program) error {
	for i := range p {
		x.port.Step(i)
		if err := x.step(&p[i]); err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) step(s *steps.Step) error {
	if s.Kind == steps.Send {
		return x.port.Send(s.Peer, x.at(s.Src))
	}
	dst := x.at(s.Dst)
	if s.Kind == steps.Copy && same(dst, x.at(s.Src)) {
		return nil
	}
	if err := x.port.Settle(dst); err != nil {
		return err
	}
	switch s.Kind {
	case steps.Recv:
		return x.port.Recv(s.Peer, dst, nil, nil)
	case steps.RecvReduce:
		return x.port.Recv(s.Peer, dst, x.at(s.Src), x.merge)
	case steps.Copy:
		copy(dst, x.at(s.Src))
	case steps.Reduce:
		x.merge(dst, dst, x.at(s.Src))
	}
	return nil
}

func same(a, b []byte) bool { return len(a) > 0 && &a[0] == &b[0] }
