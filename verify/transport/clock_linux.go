package transport

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// started and offset tie Go's clock, which is read without a system call, to
// CLOCK_MONOTONIC, which all processes of a host share. Of a few readings the
// quickest counts.
var started, offset = tieClocks()

func tieClocks() (time.Time, int64) {
	begin := time.Now()
	best, offset := time.Hour, int64(0)
	for range 10 {
		before := time.Since(begin)
		var ts unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
		after := time.Since(begin)
		if after-before < best {
			best, offset = after-before, ts.Nano()-int64(before+after)/2
		}
	}
	return begin, offset
}

// now returns CLOCK_MONOTONIC in nanoseconds.
func now() int64 { return offset + int64(time.Since(started)) }

// nap sleeps until t on the monotonic clock, for at most one slice. The
// kernel may wake it late by the timer slack, which fineTimer shortens.
func nap(t int64) {
	t = min(t, now()+int64(slice))
	fineTimer()
	ts := unix.NsecToTimespec(t)
	const absolute = 1 // TIMER_ABSTIME, linux/time.h
	_, _, _ = unix.Syscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, absolute,
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
}

// fineTimer sets the calling thread's timer slack to 1 ns (Linux's default is
// 50 µs, prctl(2)).
func fineTimer() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// futexParker sleeps on a word that processes share.
type futexParker struct{ *bell }

func (p futexParker) arm()    { p.asleep.Store(1) }
func (p futexParker) disarm() { p.asleep.Store(0) }

func (p futexParker) sleep(d time.Duration) {
	v := p.word.Load()
	if p.asleep.Load() == 2 { // woken between arm and here
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	const wait = 0 // FUTEX_WAIT, shared between processes
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.word)), wait,
		uintptr(v), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func (p futexParker) wake() {
	if p.asleep.Load() != 1 || !p.asleep.CompareAndSwap(1, 2) {
		return
	}
	p.word.Add(1)
	const wake = 1 // FUTEX_WAKE
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&p.word)), wake, 1<<30, 0, 0, 0)
}

// yield lets another thread of this core run.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
