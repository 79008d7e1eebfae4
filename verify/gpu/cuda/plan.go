package cuda

import (
	"fmt"

	"planner/costmodel/collective/steps"
)

// verb is what an action does on the stream of its rank.
type verb uint8

const (
	ready      verb = iota // marks that the rank's sends of the round may be read
	taken                  // marks that the rank has read what it receives in the round
	awaitReady             // waits for peer's mark ready
	awaitTaken             // waits for peer's mark taken
	copyFrom               // dst = peer's from
	reduceFrom             // dst = src op peer's from
	copyOwn                // dst = src
	reduceOwn              // dst = dst op src
)

// action is one thing to put on one stream.
type action struct {
	verb       verb
	rank, peer int
	src, from  steps.Ref
	dst        steps.Ref
}

// plan is the programs of all ranks as one list of actions, in an order in
// which every mark is made before it is waited for.
type plan struct {
	actions []action
	scratch []int // elements of Scratch, by rank
	longest int   // elements of the longest message that is reduced
}

// compiler merges programs round by round.
type compiler struct {
	programs []steps.Program
	next     []int
	out      plan
}

// compile turns a call into a plan. In every round each sender marks its
// stream; receivers wait for that mark, read straight out of the sender's
// buffers and mark their own streams; senders wait for those marks, after
// which they may overwrite what was read (package steps, "How a program runs").
func compile(s steps.Spec) (*plan, error) {
	all, err := steps.BuildAll(s)
	if err != nil {
		return nil, err
	}
	c := &compiler{programs: all, next: make([]int, len(all))}
	for _, p := range all {
		c.out.scratch = append(c.out.scratch, p.ScratchLen())
	}
	for {
		round, more := c.earliest()
		if !more {
			return &c.out, nil
		}
		if err := c.round(round); err != nil {
			return nil, fmt.Errorf("%v by %v over %d ranks, round %d: %w", s.Op, s.Alg, s.Ranks, round, err)
		}
	}
}

// earliest returns the first round of which a rank has steps left.
func (c *compiler) earliest() (round int, more bool) {
	for r, p := range c.programs {
		if c.next[r] < len(p) && (!more || p[c.next[r]].Round < round) {
			round, more = p[c.next[r]].Round, true
		}
	}
	return round, more
}

// pair is a sender and a receiver.
type pair struct{ from, to int }

func (c *compiler) round(round int) error {
	sent := map[pair][]steps.Ref{}
	for r := range c.programs {
		c.sends(r, round, sent)
	}
	var read []pair // in order, each once
	for r := range c.programs {
		from, err := c.others(r, round, sent)
		if err != nil {
			return err
		}
		read = append(read, from...)
	}
	for p, left := range sent {
		if len(left) > 0 {
			return fmt.Errorf("rank %d sends what rank %d does not take", p.from, p.to)
		}
	}
	for _, p := range read {
		c.add(action{verb: awaitTaken, rank: p.from, peer: p.to})
	}
	return nil
}

func (c *compiler) add(a action) { c.out.actions = append(c.out.actions, a) }

// sends takes rank's sends of the round from its program.
func (c *compiler) sends(rank, round int, sent map[pair][]steps.Ref) {
	p, marked := c.programs[rank], false
	for ; c.next[rank] < len(p); c.next[rank]++ {
		s := p[c.next[rank]]
		if s.Round != round || s.Kind != steps.Send {
			return
		}
		to := pair{rank, s.Peer}
		sent[to] = append(sent[to], s.Src)
		if !marked {
			c.add(action{verb: ready, rank: rank})
			marked = true
		}
	}
}

// others takes rank's other steps of the round and returns from whom it read.
func (c *compiler) others(rank, round int, sent map[pair][]steps.Ref) (read []pair, err error) {
	p, seen := c.programs[rank], map[int]bool{}
	for ; c.next[rank] < len(p) && p[c.next[rank]].Round == round; c.next[rank]++ {
		s := p[c.next[rank]]
		switch s.Kind {
		case steps.Copy:
			c.add(action{verb: copyOwn, rank: rank, src: s.Src, dst: s.Dst})
			continue
		case steps.Reduce:
			c.add(action{verb: reduceOwn, rank: rank, src: s.Src, dst: s.Dst})
			continue
		}
		link := pair{s.Peer, rank}
		if len(sent[link]) == 0 || sent[link][0].Len != s.Dst.Len {
			return nil, fmt.Errorf("rank %d has no message of %d elements from rank %d", rank, s.Dst.Len, s.Peer)
		}
		if !seen[s.Peer] {
			seen[s.Peer] = true
			read = append(read, link)
			c.add(action{verb: awaitReady, rank: rank, peer: s.Peer})
		}
		c.receive(rank, s, sent[link][0])
		sent[link] = sent[link][1:]
	}
	if len(read) > 0 {
		c.add(action{verb: taken, rank: rank})
	}
	return read, nil
}

func (c *compiler) receive(rank int, s steps.Step, from steps.Ref) {
	if s.Kind == steps.Recv {
		c.add(action{verb: copyFrom, rank: rank, peer: s.Peer, from: from, dst: s.Dst})
		return
	}
	c.out.longest = max(c.out.longest, from.Len)
	c.add(action{verb: reduceFrom, rank: rank, peer: s.Peer, from: from, src: s.Src, dst: s.Dst})
}
