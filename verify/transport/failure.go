package transport

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Failure is why a job stopped: the one message that every rank reports.
type Failure struct {
	Collective string // "all_reduce", or what else the rank did; empty for nothing
	Call       uint32 // number of the call in its group, from 1; 0 for a pair's
	Step       int    // step of Rank's program, from 1; 0 when not in a step
	Steps      int    // steps in that program
	Rank       int    // world rank that noticed
	Peer       int    // world rank it was dealing with; -1 when none
	Cause      string
}

// Error reads "all_reduce #12, step 3 of 6: rank 1, peer rank 0: <cause>".
func (f *Failure) Error() string {
	var b strings.Builder
	if f.Collective != "" {
		b.WriteString(f.Collective)
		if f.Call > 0 {
			fmt.Fprintf(&b, " #%d", f.Call)
		}
		if f.Step > 0 {
			fmt.Fprintf(&b, ", step %d of %d", f.Step, f.Steps)
		}
		b.WriteString(": ")
	}
	fmt.Fprintf(&b, "rank %d", f.Rank)
	if f.Peer >= 0 {
		fmt.Fprintf(&b, ", peer rank %d", f.Peer)
	}
	return b.String() + ": " + f.Cause
}

// Abort is a job's failure, shared by all ports of a process. The zero value
// is ready: nothing has failed.
type Abort struct {
	failed  atomic.Pointer[Failure]
	mu      sync.Mutex
	hooks   []func(*Failure)
	telling sync.WaitGroup
	doubt   func(*Failure)
}

// Err returns the job's failure, or nil.
func (a *Abort) Err() error {
	if f := a.failed.Load(); f != nil {
		return f
	}
	return nil
}

// Fail records f unless the job has already failed, runs the hooks, and
// returns the failure that stands.
func (a *Abort) Fail(f *Failure) error {
	a.mu.Lock()
	if first := a.failed.Load(); first != nil {
		a.mu.Unlock()
		return first
	}
	a.telling.Add(1)
	defer a.telling.Done()
	a.failed.Store(f)
	hooks := a.hooks
	a.hooks = nil
	a.mu.Unlock()
	for _, h := range hooks {
		h(f)
	}
	return f
}

// OnFail runs h once when the job fails, at once if it already has.
func (a *Abort) OnFail(h func(*Failure)) {
	a.mu.Lock()
	f := a.failed.Load()
	if f == nil {
		a.hooks = append(a.hooks, h)
	}
	a.mu.Unlock()
	if f != nil {
		h(f)
	}
}

// Told returns when the hooks of a failure have run. Whoever meets the end of
// this rank's links then finds the cause where they put it.
func (a *Abort) Told() {
	if a.Err() != nil {
		a.telling.Wait()
	}
}

// OnDoubt has ask told of what is doubtful (see Suspect), before the first
// port opens. It is to have the job fail with the cause, or with what it is
// told if nobody knows a better one.
func (a *Abort) OnDoubt(ask func(*Failure)) { a.doubt = ask }

// verdict bounds how long a rank waits for the cause: it comes at once from
// processes that run.
const verdict = time.Second

// Suspect fails the job with f, which may be but a consequence, unless its
// cause comes.
func (a *Abort) Suspect(f *Failure) error {
	if a.doubt == nil {
		return a.Fail(f)
	}
	known := make(chan struct{})
	a.OnFail(func(*Failure) { close(known) })
	a.doubt(f)
	select {
	case <-known:
	case <-time.After(verdict):
	}
	return a.Fail(f)
}
