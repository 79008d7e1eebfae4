package transport

import "time"

// stallAfter is how long a rank waits before it compares notes with others.
const stallAfter = 20 * time.Millisecond

// yields is how often a rank that shares its core gives it to another before
// it sleeps. The other is often the one it waits for, and a switch costs a
// tenth of a sleep and a wake-up; more would feed foreign processes whole time
// slices (measured 2026-11, 4 ranks on a 2-core AMD EPYC).
const yields = 20

// await waits for ready: first by looking, then asleep. It ends early when
// the job fails, the ranks turn out to disagree, or the call's deadline
// passes.
func (p *Port) await(peer int, what string, ready func() bool) error {
	for range p.spin {
		if ready() {
			return nil
		}
		pause()
	}
	for i := 0; p.spin == 0 && i < yields; i++ {
		if ready() {
			return nil
		}
		p.yield()
	}
	begun := now()
	deadline, stalled := p.due(), false
	for !p.doze(ready) {
		if err := p.ended(); err != nil {
			return err
		}
		t := now()
		if t-begun > int64(stallAfter) {
			if err := p.compare(); err != nil {
				return err
			}
			if !stalled && p.onStall != nil {
				stalled = true
				p.onStall(p.history())
			}
		}
		if t > deadline {
			return p.timedOut(peer, what)
		}
	}
	return nil
}

// doze sleeps once, until woken or for a slice, and reports whether ready.
func (p *Port) doze(ready func() bool) bool {
	p.park.arm()
	defer p.park.disarm()
	if ready() {
		return true
	}
	p.park.sleep(slice)
	return ready()
}

// compare looks for a member that entered this very call with other
// arguments; it would wait for ever for what this rank never sends.
func (p *Port) compare() error {
	if p.call.Call == 0 {
		return nil
	}
	for i, b := range p.bells {
		if b == nil || i == p.rank {
			continue
		}
		if got, ok := b.during(p.call.Call); ok && got != p.call.What {
			h := Header{Call: p.call.Call, What: got}
			return p.check(i, &p.call, &h, 0, 0)
		}
	}
	return nil
}

// stalling runs a wait in the kernel. If it takes long, the job is told what
// this rank is waiting in, so that ranks that disagree are found.
func (p *Port) stalling(wait func() error) error {
	if p.onStall == nil {
		return wait()
	}
	h := p.history()
	t := time.AfterFunc(stallAfter, func() { p.onStall(h) })
	defer t.Stop()
	return wait()
}
