//go:build !linux

package replay

import "time"

// nap sleeps for d.
func nap(d time.Duration) { time.Sleep(d) }
