package replay

import "sync"

// meetings lets a message between pipeline ranks begin when both ends are
// there, as NCCL's Send and Recv do, whose kernels move nothing before both
// run: a hop belongs to the pass that waits for it.
type meetings struct {
	mu    sync.Mutex
	ready map[meeting]chan struct{}
}

// meeting is one message: the group of its two ends, and its number in it.
type meeting struct {
	group uint64
	seq   int
}

// at returns the channel that closes when the receiver of a message is there.
func (m *meetings) at(x meeting) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ready == nil {
		m.ready = map[meeting]chan struct{}{}
	}
	c := m.ready[x]
	if c == nil {
		c = make(chan struct{})
		m.ready[x] = c
	}
	return c
}

// arrive says that the receiver of a message is there.
func (m *meetings) arrive(x meeting) { close(m.at(x)) }

// await returns when the receiver of a message is there, or failed closes.
func (m *meetings) await(x meeting, failed <-chan struct{}) {
	select {
	case <-m.at(x):
	case <-failed:
	}
	m.mu.Lock()
	delete(m.ready, x)
	m.mu.Unlock()
}
