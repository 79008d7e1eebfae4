//go:build !linux

package doctor

// space returns 0: ranks of other systems share memory in files.
func space(string) int64 { return 0 }
