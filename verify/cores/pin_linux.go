package cores

import (
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// Numbers returns the processor numbers that this process might use when it
// began.
var Numbers = sync.OnceValue(numbers)

func numbers() []int {
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

// Pin ties the calling goroutine to a thread and that to one core, by its
// number. The returned function undoes both; a goroutine that ends without it
// takes its thread with it.
func Pin(core int) (unpin func(), err error) {
	runtime.LockOSThread()
	var before, set unix.CPUSet
	set.Set(core)
	if err = unix.SchedGetaffinity(0, &before); err == nil {
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return func() {}, fmt.Errorf("core %d: cannot run there: %w", core, err)
	}
	return func() {
		_ = unix.SchedSetaffinity(0, &before)
		runtime.UnlockOSThread()
	}, nil
}
