//go:build !unix

package strategies_test

import "time"

var started = time.Now()

// cpuTime returns the time since the start, where no other clock is at hand.
func cpuTime() time.Duration { return time.Since(started) }
