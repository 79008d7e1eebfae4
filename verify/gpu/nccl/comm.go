package nccl

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// Device is the GPU on which a rank runs.
type Device interface {
	// Use makes the GPU the calling thread's.
	Use() error
	// Stream is the handle of the stream that calls are put on.
	Stream() uintptr
	// Idle reports whether all that is on the stream is done.
	Idle() (bool, error)
}

// Comm is one rank's end of a communicator. It serves one goroutine at a time.
// After an error it is aborted and of no more use.
type Comm struct {
	l          *Library
	device     Device
	at         *handle // the library may write it late
	Rank, Size int
	// Timeout bounds every wait for other ranks.
	Timeout time.Duration
	last    string // the call that Wait waits for
	dead    error
	late    atomic.Bool // the deadline of a call has aborted it
}

// Init forms a communicator of size ranks; all of them call it with the same
// id. It returns when all have come, or after timeout.
func (l *Library) Init(id ID, size, rank int, d Device, timeout time.Duration) (*Comm, error) {
	c := &Comm{l: l, device: d, at: new(handle), Rank: rank, Size: size, Timeout: timeout}
	form := c.call
	if l.Blocking {
		form = c.aside
	}
	err := form("ncclCommInitRankConfig", func() status {
		return l.initRank(c.at, int32(size), id, int32(rank), l.newConfig())
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Split forms groups of the ranks that give the same color, ordered by key
// and then rank. A negative color takes no part and gets nil.
func (c *Comm) Split(color, key int) (*Comm, error) {
	sub := &Comm{l: c.l, device: c.device, at: new(handle), Timeout: c.Timeout}
	err := c.call("ncclCommSplit", func() status {
		return c.l.split(*c.at, int32(max(color, -1)), int32(key), sub.at, c.l.newConfig())
	})
	if err != nil || color < 0 {
		return nil, err
	}
	if err := sub.settle("ncclCommSplit"); err != nil {
		return nil, err
	}
	var rank, size int32
	for _, s := range []status{c.l.userRank(*sub.at, &rank), c.l.count(*sub.at, &size)} {
		if s != 0 {
			return nil, c.l.fail(s, "ncclCommUserRank, ncclCommCount", *sub.at)
		}
	}
	sub.Rank, sub.Size = int(rank), int(size)
	return sub, nil
}

// On puts the calls that follow on another stream of the same GPU.
func (c *Comm) On(d Device) { c.device = d }

// call runs f on one thread that has the GPU and waits until the library is
// done with it. What f enqueues may still be running.
func (c *Comm) call(name string, f func() status) error {
	if c.dead != nil {
		return c.dead
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.device.Use(); err != nil {
		return err
	}
	var guard *time.Timer
	if c.l.Blocking && *c.at != 0 { // the first call of a kind waits for peers
		guard = time.AfterFunc(c.Timeout, func() { c.late.Store(true); _ = c.l.abort(*c.at) })
	}
	s := f()
	if guard != nil && !guard.Stop() { // it aborts, or has, whatever the call returned
		c.late.Store(true)
		return c.die(c.lateError(name))
	}
	if s != 0 && s != inProgress {
		return c.die(c.l.fail(s, name, *c.at))
	}
	return c.settle(name)
}

func (c *Comm) lateError(name string) error {
	return fmt.Errorf("%s: not done after %v: a rank is gone or did not make the call", name, c.Timeout)
}

// aside runs what forms a blocking communicator on a thread of its own, and
// leaves it there when the time is over: there is nothing yet to abort.
func (c *Comm) aside(name string, f func() status) error {
	done := make(chan error, 1)
	go func() { done <- c.call(name, f) }()
	select {
	case err := <-done:
		return err
	case <-time.After(c.Timeout):
		return fmt.Errorf("rank %d of %d: %w", c.Rank, c.Size, c.lateError(name))
	}
}

// settle waits until the library is no longer in progress.
func (c *Comm) settle(name string) error {
	return c.until(name, func() (bool, error) {
		s, err := c.state(name)
		return s == 0, err
	})
}

// state asks for asynchronous errors.
func (c *Comm) state(name string) (status, error) {
	var s status
	if r := c.l.asyncError(*c.at, &s); r != 0 {
		return s, c.l.fail(r, "ncclCommGetAsyncError", *c.at)
	}
	if s != 0 && s != inProgress {
		return s, c.l.fail(s, name, *c.at)
	}
	return s, nil
}

// Wait returns when all calls so far are done on the GPU.
func (c *Comm) Wait() error {
	if c.dead != nil {
		return c.dead
	}
	return c.until(c.last, func() (bool, error) {
		if _, err := c.state(c.last); err != nil {
			return false, err
		}
		return c.device.Idle()
	})
}

// Watch reports an asynchronous error, which ends the communicator.
func (c *Comm) Watch() error {
	if c.dead != nil {
		return c.dead
	}
	if _, err := c.state(c.last); err != nil {
		return c.die(err)
	}
	return nil
}

// until polls and, after an error or when the time is over, aborts.
func (c *Comm) until(name string, done func() (bool, error)) error {
	end := time.Now().Add(c.Timeout)
	for i := 0; ; i++ {
		ok, err := done()
		if err != nil {
			return c.die(err)
		}
		if ok {
			return nil
		}
		if i%64 == 63 && time.Now().After(end) {
			return c.die(c.lateError(name))
		}
		runtime.Gosched()
	}
}

// die aborts the communicator, so that its kernels end, and remembers why.
func (c *Comm) die(err error) error {
	c.dead = fmt.Errorf("rank %d of %d: %w", c.Rank, c.Size, err)
	if *c.at != 0 && !c.late.Load() {
		_ = c.l.abort(*c.at)
	}
	return c.dead
}

// Abort ends whatever is in progress and the communicator with it.
func (c *Comm) Abort() {
	if c.dead == nil {
		_ = c.die(errors.New("aborted"))
	}
}

// Close waits for what was enqueued and gives the communicator back.
func (c *Comm) Close() error {
	if c.dead != nil {
		return nil // abort has given it back
	}
	if err := c.call("ncclCommFinalize", func() status { return c.l.finalize(*c.at) }); err != nil {
		return err
	}
	c.dead = errors.New("closed")
	if s := c.l.destroy(*c.at); s != 0 {
		return c.l.fail(s, "ncclCommDestroy", 0)
	}
	return nil
}
