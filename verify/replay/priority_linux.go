package replay

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Scheduling policies of sched(7).
const (
	schedOther = 0
	schedRR    = 2
)

// lowest is the lowest real-time priority, which is above every ordinary
// program: ranks sleep most of the time, and a rank that wakes late makes all
// others wait.
const lowest = 1

// prioritize asks for real-time scheduling of all threads of the process, and
// of those that they start. It reports whether the kernel allows it, which
// takes a privilege (CAP_SYS_NICE).
func prioritize() bool { return schedule(schedRR, lowest) }

// relax undoes prioritize.
func relax() { schedule(schedOther, 0) }

func schedule(policy int, priority int32) bool {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		_, _, e := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(id), uintptr(policy), uintptr(unsafe.Pointer(&priority)))
		if e != 0 && e != unix.ESRCH {
			return false
		}
	}
	return true
}
