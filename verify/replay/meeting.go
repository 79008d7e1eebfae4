package replay

import (
	"errors"
	"sync"

	"planner/costmodel/collective"
	"planner/verify/transport"
)

// meetings lets a message between pipeline ranks begin when both ends are
// there, as NCCL's Send and Recv do, whose kernels move nothing before both
// run: a hop belongs to the pass that waits for it. The group of a hop has the
// sender first.
type meetings interface {
	// arrive says that the receiver of message seq of a group is there.
	arrive(g *group, seq int) error
	// await returns when it is, or when failed closes.
	await(g *group, seq int, failed <-chan struct{}) error
}

// localMeetings are of ranks that are goroutines.
type localMeetings struct {
	mu    sync.Mutex
	ready map[meeting]chan struct{}
}

// meeting is one message: the group of its two ends, and its number in it.
type meeting struct {
	group uint64
	seq   int
}

// at returns the channel that closes when the receiver of a message is there.
func (m *localMeetings) at(x meeting) chan struct{} {
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

func (m *localMeetings) arrive(g *group, seq int) error {
	close(m.at(meeting{g.id, seq}))
	return nil
}

func (m *localMeetings) await(g *group, seq int, failed <-chan struct{}) error {
	x := meeting{g.id, seq}
	select {
	case <-m.at(x):
	case <-failed:
	}
	m.mu.Lock()
	delete(m.ready, x)
	m.mu.Unlock()
	return nil
}

// wireMeetings are of ranks that are processes: the receiver sends a byte over
// a port of its own, which nothing shapes.
type wireMeetings struct{}

// meetingSignature is of a byte that says that a receiver is there.
var meetingSignature = transport.Signature{Op: uint8(collective.Send), Count: 1}

func (wireMeetings) arrive(g *group, _ int) error {
	return errors.Join(g.bell.Begin(meetingSignature, 1), g.bell.Send(0, []byte{1}), g.bell.Flush())
}

func (wireMeetings) await(g *group, _ int, _ <-chan struct{}) error {
	var b [1]byte
	return errors.Join(g.bell.Begin(meetingSignature, 1), g.bell.Recv(1, b[:], nil, nil), g.bell.Flush())
}
