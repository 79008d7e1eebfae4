package transport

import (
	"math"
	"sync/atomic"
)

const (
	maxPorts = 4096
	// bookings is how many busy intervals a port remembers. Adjacent ones
	// merge, so a saturated port has one.
	bookings = 62
	// memory is how long a busy interval is remembered after it has passed,
	// for ranks that book late because they were woken late.
	memory = int64(20e6)
)

// ports are the emulated ports of a job, in memory that all ranks share. A
// message takes its sender's egress and its receiver's ingress at the same
// time, at the first moment when both are free: a crossbar without buffers,
// where a message does not hold up a later one that goes elsewhere.
type ports struct {
	lock atomic.Int64 // when it was taken, monotonic ns; 0 when free
	_    [56]byte
	port [maxPorts]port
}

// port is one direction of one port: when it is busy, in order.
type port struct {
	n    int64
	_    int64
	busy [bookings]interval
}

// interval is [from, to) in monotonic ns.
type interval struct{ from, to int64 }

// dust is the shortest gap that a message is cut to fit into, in ns.
const dust = int64(2e3)

// book takes the first d nanoseconds from t on at which two ports are both
// free, and returns the end of them. As packets do, a message fills the gaps
// that it finds.
func (ps *ports) book(a, b int, t, d int64) int64 {
	ps.acquire()
	defer ps.lock.Store(0)
	x, y := &ps.port[a], &ps.port[b]
	horizon := now() - memory
	x.forget(horizon)
	y.forget(horizon)
	for {
		if u := y.free(x.free(t)); u != t {
			t = u
			continue
		}
		gap := min(x.busyFrom(t), y.busyFrom(t)) - t
		if gap < min(d, dust) {
			t += gap
			continue
		}
		piece := min(gap, d)
		x.insert(interval{t, t + piece})
		y.insert(interval{t, t + piece})
		if d -= piece; d == 0 {
			return t + piece
		}
		t += piece
	}
}

// acquire takes the lock. A process may die or be stopped with it, so it is
// taken over after a while; what it guards is an emulation, not data.
func (ps *ports) acquire() {
	const stale = int64(5e6)
	for i := 0; ; i++ {
		held := ps.lock.Load()
		if t := now(); (held == 0 || t-held > stale) && ps.lock.CompareAndSwap(held, t) {
			return
		}
		if i%64 == 63 {
			nap(now() + 1000)
		}
		pause()
	}
}

// free returns the first moment from t on at which the port is free.
func (p *port) free(t int64) int64 {
	for _, v := range p.busy[:p.n] {
		if v.from > t {
			break
		}
		t = max(t, v.to)
	}
	return t
}

// busyFrom returns when the port, free at t, is next busy.
func (p *port) busyFrom(t int64) int64 {
	for _, v := range p.busy[:p.n] {
		if v.from >= t {
			return v.from
		}
	}
	return math.MaxInt64
}

// insert adds an interval that is free, joining it with its neighbours.
func (p *port) insert(v interval) {
	n := int(p.n)
	i := 0
	for i < n && p.busy[i].from < v.from {
		i++
	}
	before := i > 0 && p.busy[i-1].to == v.from
	after := i < n && p.busy[i].from == v.to
	switch {
	case before && after:
		p.busy[i-1].to = p.busy[i].to
		copy(p.busy[i:n], p.busy[i+1:n])
		p.n--
	case before:
		p.busy[i-1].to = v.to
	case after:
		p.busy[i].from = v.from
	case n == bookings:
		p.closeSmallestGap()
		p.insert(v)
	default:
		copy(p.busy[i+1:n+1], p.busy[i:n])
		p.busy[i] = v
		p.n++
	}
}

// closeSmallestGap makes room for an interval, at the cost of a little of the
// port's time.
func (p *port) closeSmallestGap() {
	best, n := 1, int(p.n)
	for i := 2; i < n; i++ {
		if p.busy[i].from-p.busy[i-1].to < p.busy[best].from-p.busy[best-1].to {
			best = i
		}
	}
	p.busy[best-1].to = max(p.busy[best-1].to, p.busy[best].to)
	copy(p.busy[best:n], p.busy[best+1:n])
	p.n--
}

// forget drops intervals that ended before t.
func (p *port) forget(t int64) {
	k, n := 0, int(p.n)
	for k < n && p.busy[k].to < t {
		k++
	}
	copy(p.busy[:], p.busy[k:n])
	p.n = int64(n - k)
}
