package engine

import (
	"fmt"
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
// goroutine that ends without it takes its thread with it. Where the system
// refuses, the goroutine is tied to a thread alone.
func Pin(i int) (unpin func()) {
	if all := Cores(); len(all) > 0 {
		if unpin, err := PinTo(all[i%len(all)]); err == nil {
			return unpin
		}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// PinTo ties the calling goroutine to a thread and that to one core, by its
// number. The returned function undoes both.
func PinTo(core int) (unpin func(), err error) {
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
