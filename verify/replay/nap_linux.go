package replay

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for d. Go's timers wake to the millisecond while a thread polls;
// the kernel's, with a slack of 1 ns (prctl(2); the default is 50 µs), to some
// microseconds. The calling goroutine is locked to its thread.
func nap(d time.Duration) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(int64(d))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, &ts) == unix.EINTR {
	}
}
