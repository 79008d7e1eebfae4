package engine

import (
	"sync/atomic"

	"planner/costmodel/collective"
)

// Handle is a call that was started.
type Handle struct {
	call Call
	done chan struct{}
	err  error
}

// Wait returns when the call has finished, with its error.
func (h *Handle) Wait() error {
	<-h.done
	return h.err
}

// depth is how many calls may wait before Start blocks.
const depth = 1024

// stream runs started calls in order on a goroutine of its own.
type stream struct {
	queue   chan *Handle
	pending atomic.Int64
	ended   chan struct{}
}

func (s *stream) busy() bool { return s.pending.Load() > 0 }

// stop waits for all calls and ends the goroutine.
func (s *stream) stop() {
	if s.queue == nil {
		return
	}
	close(s.queue)
	<-s.ended
	s.queue = nil
}

// Start begins call and returns at once. Calls of a group run in the order in
// which they were started; groups run beside one another. The buffers belong
// to the call until Wait returns.
func (c *Comm) Start(call Call) *Handle {
	s := &c.stream
	if s.queue == nil {
		s.queue, s.ended = make(chan *Handle, depth), make(chan struct{})
		go c.serve(s.queue, s.ended)
	}
	h := &Handle{call: call, done: make(chan struct{})}
	s.pending.Add(1)
	s.queue <- h
	return h
}

func (c *Comm) serve(queue <-chan *Handle, ended chan<- struct{}) {
	defer close(ended)
	for h := range queue {
		h.err = c.serveCall(h.call)
		c.stream.pending.Add(-1)
		close(h.done)
	}
}

func (c *Comm) serveCall(call Call) error {
	if call.Op == collective.NumOps {
		return c.barrier()
	}
	return c.run(call)
}
