//go:build !linux

package transport

import (
	"errors"
	"os"
)

const groupSlots = 1

var errNoShm = errors.New("shared memory between processes: needs Linux: want transport tcp, unix or goroutine")

type segmentHeader struct {
	groups [groupSlots]groupEntry
	ports  ports
}

// Segment is not available on this system.
type Segment struct {
	fd  int
	mem []byte
}

// NewSegment fails on this system.
func NewSegment(string) (*Segment, error) { return nil, errNoShm }

// Alloc fails on this system.
func (s *Segment) Alloc(int) ([]byte, error) { return nil, errNoShm }

// Free does nothing on this system.
func (s *Segment) Free([]byte) {}

// Close does nothing on this system.
func (s *Segment) Close() error { return nil }

func (s *Segment) offset([]byte) (uint64, bool) { return 0, false }

func (s *Segment) place(*memLink, []byte) (uint64, bool, error) { return 0, false, errNoShm }

func openPeer(int, int) ([]byte, error) { return nil, errNoShm }
func unmapSegment([]byte) error         { return nil }
func header([]byte) *segmentHeader      { return &segmentHeader{} }
func bellParker(*bell) parker           { return newChanParker() }

func hostIdentity() (host string, pid int) {
	name, _ := os.Hostname()
	return name, os.Getpid()
}
