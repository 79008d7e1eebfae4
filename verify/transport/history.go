package transport

// recalled is how many calls a rank remembers. Ranks that disagree may be some
// calls apart: one that sends or gets nothing in a call is past it at once.
const recalled = 8

type recent [recalled]Signature

// History is what a rank did in its last calls of a group. Call 1 is the first.
type History struct {
	Group uint64      `json:"group"`
	Last  uint32      `json:"last"`  // number of the last call that the rank began
	Calls []Signature `json:"calls"` // of calls Last, Last-1, ...
}

func (p *Port) history() History {
	h := History{Last: p.calls}
	for i := range min(p.calls, recalled) {
		h.Calls = append(h.Calls, p.recent[(p.calls-i)%recalled])
	}
	return h
}

// Differ returns the first call in which two members of a group did not do the
// same, and what each did; ok is false if there is none that both remember.
func (h History) Differ(other History) (call uint32, mine, theirs Signature, ok bool) {
	for i, s := range h.Calls {
		j := int(other.Last) - int(h.Last) + i
		if j >= 0 && j < len(other.Calls) && other.Calls[j] != s {
			call, mine, theirs, ok = h.Last-uint32(i), s, other.Calls[j], true
		}
	}
	return call, mine, theirs, ok
}
