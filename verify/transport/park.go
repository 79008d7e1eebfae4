package transport

import (
	"sync/atomic"
	"time"
)

// slice is how long a rank sleeps before it looks for a failure of the job
// and for its deadline; it bounds how late a survivor hears of either.
const slice = 10 * time.Millisecond

// parker puts one waiting rank to sleep and lets posters wake it. A waiter
// arms, looks at its condition once more, and sleeps; a poster changes the
// condition and wakes. Both orders are sequentially consistent, so a wake-up
// cannot be lost.
type parker interface {
	arm()
	sleep(d time.Duration)
	disarm()
	wake()
}

// chanParker parks a goroutine; it needs no thread of its own.
type chanParker struct {
	asleep atomic.Uint32
	bell   chan struct{}
	timer  *time.Timer
}

func newChanParker() *chanParker {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &chanParker{bell: make(chan struct{}, 1), timer: t}
}

func (p *chanParker) arm()    { p.asleep.Store(1) }
func (p *chanParker) disarm() { p.asleep.Store(0) }

func (p *chanParker) sleep(d time.Duration) {
	p.timer.Reset(d)
	select {
	case <-p.bell:
	case <-p.timer.C:
	}
	p.timer.Stop()
}

func (p *chanParker) wake() {
	if p.asleep.Load() == 0 {
		return
	}
	select {
	case p.bell <- struct{}{}:
	default:
	}
}
