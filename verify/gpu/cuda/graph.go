package cuda

import (
	"errors"
	"fmt"
)

// captureThreadLocal is CU_STREAM_CAPTURE_MODE_THREAD_LOCAL.
const captureThreadLocal = 1

// Graph is a call that the driver holds as a whole: a launch is one call of
// the driver instead of several per step, which is what small messages need.
type Graph struct {
	g     *Group
	exec  execHandle
	grown int // the group's, when it was captured
}

// Capture records a call with its buffers. A later call that needs more
// scratch moves what the graph uses; [Graph.Launch] then fails, so begin with
// the largest.
func (g *Group) Capture(c Call) (x *Graph, err error) {
	if !g.d.hasGraphs() {
		return nil, fmt.Errorf("graphs: the driver is of CUDA %d.%d: want 11.4 or newer", g.d.Version/1000, g.d.Version%1000/10)
	}
	err = g.on(func() error {
		p, err := g.prepare(c)
		if err != nil {
			return err
		}
		x, err = g.capture(func() error { return g.issue(&c, p) })
		return err
	})
	return x, err
}

// capture runs f while all streams are captured, beginning from rank 0's and
// joined to it at the end.
func (g *Group) capture(f func() error) (*Graph, error) {
	first := g.ranks[0]
	if err := g.enter(first.gpu); err != nil {
		return nil, err
	}
	if err := g.d.check(g.d.captureBegin(first.stream, captureThreadLocal), "cuStreamBeginCapture"); err != nil {
		return nil, err
	}
	err := errors.Join(g.fork(first), f(), g.join(first))
	var whole graphHandle
	_ = g.enter(first.gpu)
	end := g.d.check(g.d.captureEnd(first.stream, &whole), "cuStreamEndCapture")
	if err = errors.Join(err, end); err != nil {
		return nil, err
	}
	x := &Graph{g: g, grown: g.grown}
	err = g.d.check(g.d.instantiate(&x.exec, whole, 0), "cuGraphInstantiate")
	return x, errors.Join(err, g.d.check(g.d.graphDestroy(whole), "cuGraphDestroy"))
}

// fork makes all streams follow the first.
func (g *Group) fork(first *rank) error {
	if err := g.d.check(g.d.eventRecord(first.fork, first.stream), "cuEventRecord"); err != nil {
		return err
	}
	for _, r := range g.ranks[1:] {
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		if err := g.d.check(g.d.streamWait(r.stream, first.fork, 0), "cuStreamWaitEvent"); err != nil {
			return err
		}
	}
	return nil
}

// join makes the first stream follow all.
func (g *Group) join(first *rank) error {
	for _, r := range g.ranks[1:] {
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		if err := g.d.check(g.d.eventRecord(r.taken, r.stream), "cuEventRecord"); err != nil {
			return err
		}
	}
	if err := g.enter(first.gpu); err != nil {
		return err
	}
	for _, r := range g.ranks[1:] {
		if err := g.d.check(g.d.streamWait(first.stream, r.taken, 0), "cuStreamWaitEvent"); err != nil {
			return err
		}
	}
	return nil
}

// Launch puts the call on rank 0's stream; [Group.Wait] waits for it. Nothing
// else of the group may be in progress.
func (x *Graph) Launch() error {
	if x.grown != x.g.grown {
		return errors.New("graph: captured before the group's scratch grew: capture it again")
	}
	return x.g.on(func() error {
		if err := x.g.enter(x.g.ranks[0].gpu); err != nil {
			return err
		}
		return x.g.d.check(x.g.d.graphLaunch(x.exec, x.g.ranks[0].stream), "cuGraphLaunch")
	})
}

// Close gives the graph back.
func (x *Graph) Close() error {
	return x.g.on(func() error {
		if err := x.g.enter(x.g.ranks[0].gpu); err != nil {
			return err
		}
		return x.g.d.check(x.g.d.execDestroy(x.exec), "cuGraphExecDestroy")
	})
}
