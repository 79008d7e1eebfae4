package bench

import (
	"fmt"
	"slices"
	"strings"

	"planner/verify/cores"
	"planner/verify/transport"
)

// pin ties a rank to its core: the one that Cores gives it, or else the one
// that the job shares out. Where the system refuses the latter, it chooses.
func (o *Options) pin(w transport.World) (unpin func(), how string, err error) {
	if n := len(o.Cores); n > 0 {
		unpin, err = cores.Pin(o.Cores[w.Rank()%n])
		return unpin, "pinned to cores " + list(o.Cores), err
	}
	core, own := w.Core()
	if core < 0 {
		return func() {}, "not pinned: the ranks share cores", nil
	}
	if unpin, err = cores.Pin(core); err != nil {
		return func() {}, "not pinned: the system chooses", nil
	}
	if !own {
		return unpin, "pinned, sharing cores", nil
	}
	return unpin, "pinned, a core each", nil
}

// validateCores compares the list with what this host has. The ranks of other
// hosts find out for themselves.
func (o *Options) validateCores() error {
	if slices.ContainsFunc(o.Cores, func(c int) bool { return c < 0 }) {
		return fmt.Errorf("--cores %s: negative: want numbers from 0", list(o.Cores))
	}
	if len(o.Cores) == 0 || len(o.Hosts) > 0 {
		return nil
	}
	have := cores.Numbers()
	for _, c := range o.Cores {
		if !slices.Contains(have, c) {
			return fmt.Errorf("--cores %s: no core %d for this process: want some of %s", list(o.Cores), c, list(have))
		}
	}
	return nil
}

func list(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}
