package bench

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"planner/verify/engine"
)

// pin ties a rank to its core: the one that Cores gives it, or else one of its
// own if the machine has as many.
func (o *Options) pin(rank int) (unpin func(), cores string, err error) {
	if n := len(o.Cores); n > 0 {
		unpin, err = engine.PinTo(o.Cores[rank%n])
		return unpin, "pinned to cores " + list(o.Cores), err
	}
	if o.Ranks > runtime.NumCPU() {
		return func() {}, "not pinned: more ranks than cores", nil
	}
	return engine.Pin(rank), "pinned, a core each", nil
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
	have := engine.Cores()
	if len(have) == 0 {
		return fmt.Errorf("--cores %s: this system does not let programs choose: leave it out", list(o.Cores))
	}
	for _, c := range o.Cores {
		if !slices.Contains(have, c) {
			return fmt.Errorf("--cores %s: no core %d for this process: want some of %s", list(o.Cores), c, list(have))
		}
	}
	return nil
}

func list(cores []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(cores), "[]"), " ", ",")
}
