package step

import (
	"math"

	"planner/verify/replay"
)

// Maths computes on a rank's stream.
type Maths interface {
	// Prepare makes ready the kernels of a mix.
	Prepare(m replay.Mix) error
	// Run puts kernel i of a prepared mix on the stream.
	Run(k *replay.Kernel) error
	// Move puts memory traffic of some bytes on the stream.
	Move(bytes int64) error
	Close() error
}

// running is how far the delays of a step have come in their mix.
type running struct {
	maths Maths
	list  []replay.Kernel
	once  float64
	host  float64
	next  int
	owed  float64 // seconds of delays that no kernel has filled
	rate  float64 // bytes per second that the plan gives memory traffic
}

func (r *Rank) running(p *replay.Program, stage int) *running {
	x := &running{maths: r.maths}
	if len(p.Mixes) > 0 {
		x.once, x.host = p.Mixes[stage].Once, p.Mixes[stage].Host
		for _, part := range p.Mixes[stage].Parts {
			for range part.Times {
				x.list = append(x.list, part.Kernels...)
			}
		}
	}
	bytes, seconds := 0.0, 0.0
	for _, k := range x.list {
		if k.M == 0 && k.Bytes > 0 {
			bytes, seconds = bytes+float64(k.Bytes), seconds+k.Seconds
		}
	}
	if seconds > 0 {
		x.rate = bytes / seconds
	}
	return x
}

// delay runs kernels of the mix, in order and round and round, as long as the
// plan's times for them fill the delay. A kernel starts when at least half of
// it is owed, so that what is left over never grows.
func (x *running) delay(seconds float64, last bool) error {
	if x.maths == nil {
		return nil
	}
	if last {
		seconds = math.Max(0, seconds-x.host)
	}
	if last && x.once > 0 && x.rate > 0 {
		once := math.Min(x.once, seconds)
		seconds -= once
		if err := x.maths.Move(int64(once * x.rate)); err != nil {
			return err
		}
	}
	if len(x.list) == 0 {
		return nil
	}
	x.owed += seconds
	for idle := 0; idle < len(x.list); {
		k := &x.list[x.next]
		if k.Seconds > 0 && x.owed < k.Seconds/2 {
			return nil
		}
		if idle++; k.Seconds > 0 {
			idle = 0
		}
		if err := x.maths.Run(k); err != nil {
			return err
		}
		x.owed -= k.Seconds
		x.next = (x.next + 1) % len(x.list)
	}
	return nil // a mix of no time at all
}
