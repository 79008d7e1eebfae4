package doctor

import "golang.org/x/sys/unix"

// space returns the bytes free in the file system of a path; 0 if it is not
// there.
func space(path string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * s.Bsize
}
