package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"planner/costmodel/collective/steps"
)

// Flags of streams and events (cuda.h).
const (
	streamNonBlocking  = 1
	eventDisableTiming = 2
	eventInterprocess  = 4
)

// Group is the ranks of this process. Its methods, and its seats', may be called
// by several goroutines; each call is one piece.
type Group struct {
	mu    sync.Mutex
	d     *Driver
	gpus  map[int]*gpu
	ranks []*rank
	plans map[steps.Spec]*plan
	args  launchArgs
	now   *gpu // whose context the thread has
	grown int  // how often scratch has moved
	// travels says that memory is shared with other processes.
	travels bool
	// Timeout bounds Wait; a call that takes longer is an error.
	Timeout time.Duration
}

// gpu is a GPU that ranks of the group are on.
type gpu struct {
	Device
	*loaded
	ranks int
	fork  eventHandle // of captures that begin here
}

// rank is one rank's stream and memory.
type rank struct {
	*gpu
	stream       streamHandle
	ready, taken eventHandle
	begin, end   eventHandle // with times
	scratch      area
	stage        area   // messages of GPUs that kernels cannot reach
	reaches      []bool // by rank
}

// NewGroup returns a group of one rank per entry of ordinals, each on that
// GPU. A GPU may be named again: its ranks share it.
func NewGroup(d *Driver, ordinals []int) (*Group, error) {
	all, err := d.Devices()
	if err != nil {
		return nil, err
	}
	g := &Group{d: d, gpus: map[int]*gpu{}, plans: map[steps.Spec]*plan{}, Timeout: 30 * time.Second}
	err = g.on(func() error {
		for r, o := range ordinals {
			if o < 0 || o >= len(all) {
				return fmt.Errorf("GPU %d of rank %d: there is none: want 0 to %d", o, r, len(all)-1)
			}
			if err := g.add(all[o]); err != nil {
				return fmt.Errorf("GPU %d (%s): %w", o, all[o].Name, err)
			}
		}
		return g.connect()
	})
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Size returns the number of ranks.
func (g *Group) Size() int { return len(g.ranks) }

// Device returns the GPU of a rank.
func (g *Group) Device(rank int) Device { return g.ranks[rank].Device }

// on runs f on one thread: the driver's current context belongs to a thread.
func (g *Group) on(f func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g.now = nil
	return f()
}

// enter makes a GPU's context the thread's.
func (g *Group) enter(v *gpu) error {
	if g.now == v {
		return nil
	}
	g.now = v
	return g.d.check(g.d.setCurrent(v.ctx), "cuCtxSetCurrent")
}

// add adds a rank on a GPU.
func (g *Group) add(v Device) error {
	u := g.gpus[v.Ordinal]
	if u == nil {
		var err error
		if u, err = g.open(v); err != nil {
			return err
		}
	}
	if err := g.enter(u); err != nil {
		return err
	}
	u.ranks++
	r := &rank{gpu: u}
	g.ranks = append(g.ranks, r)
	if err := g.d.check(g.d.streamCreate(&r.stream, streamNonBlocking), "cuStreamCreate"); err != nil {
		return err
	}
	for e, flags := range map[*eventHandle]uint32{&r.ready: eventDisableTiming, &r.taken: eventDisableTiming, &r.begin: 0, &r.end: 0} {
		if err := g.d.check(g.d.eventCreate(e, flags), "cuEventCreate"); err != nil {
			return err
		}
	}
	return nil
}

// open takes a GPU with the kernels loaded.
func (g *Group) open(v Device) (*gpu, error) {
	x, err := g.d.hold(v)
	if err != nil {
		return nil, err
	}
	u := &gpu{Device: v, loaded: x}
	g.gpus[v.Ordinal] = u
	if err := g.enter(u); err != nil {
		return nil, err
	}
	return u, g.d.check(g.d.eventCreate(&u.fork, eventDisableTiming), "cuEventCreate")
}

// connect lets kernels read the memory of other GPUs where they can.
func (g *Group) connect() error {
	for a, u := range g.gpus {
		for b, w := range g.gpus {
			yes, err := g.d.Reaches(a, b)
			if err != nil {
				return err
			}
			if a == b || !yes {
				continue
			}
			if err := g.enter(u); err != nil {
				return err
			}
			if r := g.d.enablePeer(w.ctx, 0); r != peerWasEnabled {
				if err := g.d.check(r, "cuCtxEnablePeerAccess"); err != nil {
					return err
				}
			}
		}
	}
	return g.reaches()
}

func (g *Group) reaches() error {
	for _, r := range g.ranks {
		for _, p := range g.ranks {
			yes, err := g.d.Reaches(r.Ordinal, p.Ordinal)
			if err != nil {
				return err
			}
			r.reaches = append(r.reaches, yes)
		}
	}
	return nil
}

// Close gives everything back. No call may be in progress.
func (g *Group) Close() error {
	return g.on(func() error {
		for _, r := range g.ranks {
			_ = g.enter(r.gpu)
			g.drop(&r.scratch)
			g.drop(&r.stage)
			for _, e := range []eventHandle{r.ready, r.taken, r.begin, r.end} {
				if e != 0 {
					_ = g.d.eventDestroy(e)
				}
			}
			if r.stream != 0 {
				_ = g.d.streamDestroy(r.stream)
			}
		}
		return g.leave()
	})
}

func (g *Group) leave() error {
	var errs []error
	for o, u := range g.gpus {
		_ = g.enter(u)
		if u.fork != 0 {
			_ = g.d.eventDestroy(u.fork)
		}
		errs = append(errs, g.d.let(o))
	}
	g.ranks, g.gpus = nil, map[int]*gpu{}
	return errors.Join(errs...)
}
