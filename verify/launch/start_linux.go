package launch

import (
	"os/exec"
	"runtime"
	"syscall"
)

// start runs a command to its end. The kernel kills the command if this
// process dies; it watches the thread that made the command (prctl(2),
// PR_SET_PDEATHSIG), which therefore stays.
func start(rank int, c *exec.Cmd, exits chan<- exit, started func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := c.Start()
	started()
	if err == nil {
		err = c.Wait()
	}
	exits <- exit{rank, err}
}
