package transport

// Expose lets a member read and write data in place until Settle or Flush
// returns. Both ranks must share memory (see Direct); data that the member
// cannot reach are exposed as nothing.
func (p *Port) Expose(peer int, data []byte) error {
	l := p.links[peer].(*memLink)
	seq, held, err := l.expose(p, peer, &p.call, data)
	if err == nil && held {
		p.held = append(p.held, heldSend{l, peer, seq, data})
	}
	return err
}

// Reaches reports whether members can reach data of this rank in place.
func (p *Port) Reaches(data []byte) bool {
	for i, l := range p.links {
		if m, ok := l.(*memLink); ok && i != p.rank && m.outViews == nil {
			if _, in := m.segment.offset(data); !in {
				return false
			}
		}
	}
	return true
}

// View waits for the next buffer that a member exposes, which is of size
// bytes. ok is false when this rank cannot reach it. The buffer may be used
// until Done.
func (p *Port) View(peer, size int) (view []byte, ok bool, err error) {
	l := p.links[peer].(*memLink)
	s, err := l.next(p, peer, &p.call, size)
	if err != nil {
		return nil, false, err
	}
	if s.inline == 0 {
		view, ok = l.view(s), true
	}
	l.got++
	return view, ok, nil
}

// Done tells a member that this rank has finished with all that it exposed.
func (p *Port) Done(peer int) {
	l := p.links[peer].(*memLink)
	l.in.done.Store(l.got)
	l.peer.wake()
}

// Take waits for the next message of a member and returns it where it lies;
// it may be used until Done. The message must be one that travels in its slot.
func (p *Port) Take(peer, size int) ([]byte, error) {
	l := p.links[peer].(*memLink)
	s, err := l.next(p, peer, &p.call, size)
	if err != nil {
		return nil, err
	}
	if s.inline == 0 {
		return nil, p.Fail(peer, "sent elsewhere what belongs into a slot")
	}
	l.got++
	return s.data[:size], nil
}

// expose posts data without copying them, or their absence.
func (l *memLink) expose(p *Port, peer int, h *Header, data []byte) (seq uint32, held bool, err error) {
	s, err := l.vacant(p, peer)
	if err != nil {
		return 0, false, err
	}
	s.inline, s.ready, held = 0, 0, true
	if l.outViews != nil {
		l.outViews[l.sent%slots] = data
	} else if s.addr, held = l.segment.offset(data); !held {
		s.inline = 1
	}
	return l.post(s, h, len(data)), held, nil
}
