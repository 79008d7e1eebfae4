package transport

import (
	"errors"

	"planner/verify/cores"
)

// Seat is a process that has prepared to be reached but does not know its
// peers yet.
type Seat struct {
	kind    Kind
	segment *Segment
	socks   *sockets
	Peer    Peer
}

// NewSeat prepares a process for a job: it makes its shared memory and
// listens, as kind asks. host is the address that TCP peers dial; shmDir holds
// the segment's unnamed file, or is empty for anonymous memory.
func NewSeat(kind Kind, host, shmDir string) (*Seat, error) {
	s := &Seat{kind: kind, Peer: Peer{FD: -1}}
	s.Peer.Host, s.Peer.PID = hostIdentity()
	s.Peer.CPU = cores.Own()
	var err error
	if kind == Shm || kind == Mixed {
		if s.segment, err = NewSegment(shmDir); err != nil {
			return nil, err
		}
		s.Peer.FD = s.segment.fd
	}
	if kind != Shm {
		if s.socks, err = listen(kind, host); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if kind == Unix {
			s.Peer.Unix = s.socks.address()
		} else {
			s.Peer.TCP = s.socks.address()
		}
	}
	return s, nil
}

// Close gives up a seat that was not taken.
func (s *Seat) Close() error {
	var errs []error
	if s.segment != nil {
		errs = append(errs, s.segment.Close())
	}
	if s.socks != nil {
		errs = append(errs, s.socks.close())
	}
	return errors.Join(errs...)
}

// Take returns the world of a seat whose peers are known. Connections must
// prove to know key, which is the job's. The seat belongs to the world, also
// when Take fails.
func (s *Seat) Take(rank int, peers []Peer, key []byte, o Options) (*Process, error) {
	if s.socks != nil {
		s.socks.unlock(key)
	}
	w := &Process{rank: rank, kind: s.kind, opts: o, peers: peers,
		segment: s.segment, socks: s.socks, maps: map[int][]byte{}}
	w.shareCores()
	if err := w.place(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}
