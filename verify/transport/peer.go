package transport

import (
	"sync/atomic"

	"planner/verify/cores"
)

// Peer is how the processes of a job reach one of them; the launcher passes
// it around.
type Peer struct {
	Host string // equal for processes that can map one another's memory
	PID  int
	FD   int    // of the segment; -1 without one
	TCP  string // address of the listener, if any
	Unix string // abstract name of the listener, if any
	CPU  cores.Set
}

// Kind is how the ranks of a job are joined.
type Kind uint8

// The kinds of transport.
const (
	Goroutine Kind = iota // one process
	Shm                   // processes of one host, shared memory
	TCP                   // processes, TCP
	Unix                  // processes of one host, Unix sockets
	Mixed                 // shared memory inside a node, TCP between nodes
)

var kindNames = [...]string{"goroutine", "shm", "tcp", "unix", "mixed"}

// String returns the name that flags use.
func (k Kind) String() string { return kindNames[k] }

// ParseKind reads a name that String prints.
func ParseKind(s string) (Kind, bool) {
	for i, n := range kindNames {
		if n == s {
			return Kind(i), true
		}
	}
	return 0, false
}

// groupEntry says where a rank keeps its lanes of a group.
type groupEntry struct {
	id     atomic.Uint64
	offset atomic.Uint64
}
