package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"planner/costmodel/collective/steps"
	"planner/verify/gpu/ptx"
)

// Flags of streams and events (cuda.h).
const (
	streamNonBlocking  = 1
	eventDisableTiming = 2
)

// Group is the ranks of this process. It serves one goroutine at a time.
type Group struct {
	d     *Driver
	gpus  map[int]*gpu
	ranks []*rank
	plans map[steps.Spec]*plan
	args  launchArgs
	now   *gpu // whose context the thread has
	grown int  // how often scratch has moved
	// Timeout bounds Wait; a call that takes longer is an error.
	Timeout time.Duration
}

// gpu is a GPU that ranks of the group are on.
type gpu struct {
	Device
	ctx     ctxHandle
	module  moduleHandle
	kernels map[string]kernelHandle
	ranks   int
	fork    eventHandle // of captures that begin here
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

// open retains a GPU's context and loads the kernels into it.
func (g *Group) open(v Device) (*gpu, error) {
	if v.Capability < oldestCapability {
		return nil, fmt.Errorf("compute capability %d.%d: too old: want 7.0 (V100) or newer", v.Capability/10, v.Capability%10)
	}
	u := &gpu{Device: v, kernels: map[string]kernelHandle{}}
	if err := g.d.check(g.d.retain(&u.ctx, int32(v.Ordinal)), "cuDevicePrimaryCtxRetain"); err != nil {
		return nil, err
	}
	g.gpus[v.Ordinal] = u
	if err := g.enter(u); err != nil {
		return nil, err
	}
	if err := g.load(u); err != nil {
		return nil, err
	}
	return u, g.d.check(g.d.eventCreate(&u.fork, eventDisableTiming), "cuEventCreate")
}

// Options of cuModuleLoadDataEx (CUjit_option).
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

func (g *Group) load(u *gpu) error {
	image, log := ptx.Image(), make([]byte, 8192)
	options := [2]int32{jitErrorLog, jitErrorLogSize}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	r := g.d.moduleLoad(&u.module, unsafe.Pointer(&image[0]), 2, &options[0], &values[0])
	runtime.KeepAlive(log)
	if err := g.d.check(r, "cuModuleLoadDataEx"); err != nil {
		return fmt.Errorf("%w: %s", err, text(log))
	}
	for _, name := range ptx.Entries() {
		var k kernelHandle
		if err := g.d.check(g.d.moduleFunction(&k, u.module, name), "cuModuleGetFunction "+name); err != nil {
			return err
		}
		u.kernels[name] = k
	}
	return nil
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
		if u.module != 0 {
			errs = append(errs, g.d.check(g.d.moduleUnload(u.module), "cuModuleUnload"))
		}
		if g.d.release != nil {
			errs = append(errs, g.d.check(g.d.release(int32(o)), "cuDevicePrimaryCtxRelease"))
		}
	}
	g.ranks, g.gpus = nil, map[int]*gpu{}
	return errors.Join(errs...)
}
