package steps

import "planner/hardware/unit"

// Link is the price of a message between two ranks: LogGP's L, o and G
// (Alexandrov et al., SPAA 1995).
type Link struct {
	Latency unit.Seconds // from the last byte sent to its arrival
	Post    unit.Seconds // per message, on the sender's and on the receiver's port
	PerByte unit.Seconds // per byte, on both ports
	Port    uint8        // which of a rank's ports it uses, 0 to 3: one for the node, one for the network
}

// ports is how many ports a rank has in each direction.
const ports = 4

// Cost walks the programs of all ranks and returns when the last one is done,
// all having begun at 0. elem is bytes per element, link prices a pair, and
// reduce is the time to reduce one byte.
//
// A transfer begins when both ranks are in its round. The messages of a rank
// follow each other on each port, in program order, in each direction; the
// directions and the ports are independent. Messages of one round to the same
// peer are one message in pieces: Post is paid once. A receive with its
// reduction ends before the rank's next receive; a Copy is free.
func Cost(progs []Program, elem unit.Bytes, link func(src, dst int) Link, reduce unit.Seconds) (end unit.Seconds) {
	w := &walk{link: link, elem: float64(elem), reduce: reduce, ready: make([]unit.Seconds, len(progs)), arrived: map[[2]int][]unit.Seconds{}}
	next := make([]int, len(progs))
	now := make([]Program, len(progs))
	for round, more := 0, true; more; round++ {
		more = false
		for r, p := range progs {
			i := next[r]
			for next[r] < len(p) && p[next[r]].Round == round {
				next[r]++
			}
			now[r] = p[i:next[r]]
			more = more || next[r] < len(p)
		}
		w.round(now)
	}
	for _, t := range w.ready {
		end = max(end, t)
	}
	return end
}

type walk struct {
	link    func(src, dst int) Link
	elem    float64
	reduce  unit.Seconds
	ready   []unit.Seconds            // when each rank is done with the rounds so far
	arrived map[[2]int][]unit.Seconds // messages of this round by sender and receiver
}

func (w *walk) bytes(s Step) float64 { return float64(s.Len()) * w.elem }

// round advances all ranks over their steps of one round.
func (w *walk) round(now []Program) {
	sent := make([]unit.Seconds, len(now))
	for r, p := range now {
		sent[r] = w.sends(r, p)
	}
	done := make([]unit.Seconds, len(now))
	for r, p := range now {
		done[r] = max(sent[r], w.others(r, p))
	}
	copy(w.ready, done)
	clear(w.arrived)
}

// sends posts the sends of a round and returns when the last has arrived.
func (w *walk) sends(r int, p Program) unit.Seconds {
	var free [ports]unit.Seconds
	last, peer := w.ready[r], -1
	for _, s := range p {
		if s.Kind != Send {
			continue
		}
		l := w.link(r, s.Peer)
		if s.Peer == peer {
			l.Post = 0
		}
		peer = s.Peer
		start := max(w.ready[r], w.ready[s.Peer], free[l.Port])
		free[l.Port] = start + l.Post + l.PerByte.Times(w.bytes(s))
		at := free[l.Port] + l.Latency
		k := [2]int{r, s.Peer}
		w.arrived[k] = append(w.arrived[k], at)
		last = max(last, at)
	}
	return last
}

// others does the steps that are not sends and returns when they are done.
func (w *walk) others(r int, p Program) unit.Seconds {
	var free [ports]unit.Seconds
	last, peer := w.ready[r], -1
	for _, s := range p {
		work := w.reduce.Times(w.bytes(s))
		switch s.Kind {
		case Reduce:
			last += work
		case Recv, RecvReduce:
			if s.Kind == Recv {
				work = 0
			}
			l := w.link(s.Peer, r)
			if s.Peer == peer {
				l.Post = 0
			}
			peer = s.Peer
			k := [2]int{s.Peer, r}
			at := max(w.arrived[k][0], max(w.ready[r], free[l.Port])+l.Post+l.PerByte.Times(w.bytes(s)))
			w.arrived[k] = w.arrived[k][1:]
			free[l.Port] = at + work
			last = max(last, free[l.Port])
		}
	}
	return last
}
