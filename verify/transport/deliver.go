package transport

import (
	"fmt"
	"time"
)

// An emulated machine has its own clock. A rank of the real one is woken a
// little after a message is due, and later still when ranks share a core; if
// every step added that, the emulated links would seem slower than asked for.
// So a rank keeps how late it is during a call, sends as if it were not, and
// makes up for it at its next wait.

// maxLate bounds what is made up: more is a rank that was stopped.
const maxLate = int64(10 * time.Millisecond)

// clock returns the time on the emulated machine.
func (p *Port) clock() int64 { return now() - p.late }

// entered returns the emulated time at which a rank begins to wait for a
// message; it is not needed, and not looked up, on links without shaping.
func (p *Port) entered(shaped bool) int64 {
	if !shaped {
		return 0
	}
	return p.clock()
}

// deliver waits until a message may be seen whose beginning was due at ready, and
// notes how late this rank is then. way leads to the sender.
func (p *Port) deliver(peer int, entered, ready int64, way *path, size int) error {
	ready, err := way.back().follow(ready, size, func(t int64) error { return p.sleepUntil(peer, t) })
	if err != nil {
		return err
	}
	if err := p.sleepUntil(peer, ready); err != nil {
		return err
	}
	p.late = min(max(0, now()-max(entered, ready)), maxLate)
	return nil
}

// sleepUntil waits for the moment t at which a shaped link delivers: asleep
// for most of it, then looking at the clock when the machine has a core for
// every rank.
func (p *Port) sleepUntil(peer int, t int64) error {
	const early = int64(60 * time.Microsecond) // covers a late wake-up by the kernel
	for {
		n := now()
		switch {
		case n >= t:
			return nil
		case p.spin > 0 && t-n <= early:
			pause()
			continue
		case p.spin > 0:
			nap(t - early)
		default:
			nap(t)
		}
		if err := p.ended(); err != nil {
			return err
		}
		if now() > p.due() {
			return p.Fail(peer, fmt.Sprintf("the emulated link delivers nothing for %v", p.timeout))
		}
	}
}
