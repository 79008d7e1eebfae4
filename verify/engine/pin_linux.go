package engine

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// Cores returns the processor numbers that this process might use when it
// began.
var Cores = sync.OnceValue(cores)

func cores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var all []int
	for cpu := 0; len(all) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all
}

// Pin ties the calling goroutine to a thread and that to the i-th core that
// the process may use, counting round. The returned function undoes both; a
// goroutine that ends without it takes its thread with it.
func Pin(i int) (unpin func()) {
	runtime.LockOSThread()
	var before, set unix.CPUSet
	all := Cores()
	if unix.SchedGetaffinity(0, &before) != nil || len(all) == 0 {
		return runtime.UnlockOSThread
	}
	set.Set(all[i%len(all)])
	_ = unix.SchedSetaffinity(0, &set)
	return func() {
		_ = unix.SchedSetaffinity(0, &before)
		runtime.UnlockOSThread()
	}
}
