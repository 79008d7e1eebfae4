//go:build !linux

package replay

// prioritize reports that there is no real-time scheduling to ask for.
func prioritize() bool { return false }

func relax() {}
