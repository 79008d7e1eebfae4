//go:build !linux

package cores

import (
	"fmt"
	"runtime"
)

// Numbers counts the cores: the system does not tell which are this process's.
func Numbers() []int {
	all := make([]int, runtime.NumCPU())
	for i := range all {
		all[i] = i
	}
	return all
}

// Pin returns an error: the system has no way to choose.
func Pin(core int) (unpin func(), err error) {
	return func() {}, fmt.Errorf("core %d: this system does not let programs choose", core)
}
