//go:build !linux

package launch

import "os/exec"

// start runs a command to its end.
func start(rank int, c *exec.Cmd, exits chan<- exit, started func()) {
	err := c.Start()
	started()
	if err == nil {
		err = c.Wait()
	}
	exits <- exit{rank, err}
}
