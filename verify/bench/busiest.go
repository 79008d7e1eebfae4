package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is what /proc/PID/stat says (proc_pid_stat(5)).
type process struct {
	pid, parent int
	name        string
	ticks       int // of 10 ms, user and system
}

// tick is the unit of times in /proc: USER_HZ is 100 on every architecture
// that Go runs on.
const tick = 10 * time.Millisecond

// census is how much processor time every process had taken at a moment.
type census struct {
	at    time.Time
	procs map[int]process
}

// takeCensus reads /proc; where there is none it finds nobody.
func takeCensus() census {
	c := census{time.Now(), map[int]process{}}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil { // it has ended
			continue
		}
		if p, ok := parseStat(string(b)); ok {
			c.procs[p.pid] = p
		}
	}
	return c
}

// parseStat reads "pid (name) state ppid ... utime stime ...". The name may
// hold spaces and parentheses.
func parseStat(s string) (p process, ok bool) {
	open, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')')
	if open < 0 || end < open {
		return p, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(s[:open]))
	f := strings.Fields(s[end+1:])
	if err != nil || len(f) < 13 {
		return p, false
	}
	parent, err0 := strconv.Atoi(f[1])
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	return process{pid, parent, s[open+1 : end], user + system}, err0 == nil && err1 == nil && err2 == nil
}

// least is the share of a core from which a process is worth naming.
const least = 0.05

// busiest names the process that took most processor time since before, other
// than this job's: itself and, if ranks are processes, its parent and siblings.
func busiest(before, after census, processes bool) string {
	self := after.procs[os.Getpid()]
	var most process
	for pid, p := range after.procs {
		if pid == self.pid || processes && (pid == self.parent || p.parent == self.parent) {
			continue
		}
		p.ticks -= before.procs[pid].ticks
		if p.ticks > most.ticks {
			most = p
		}
	}
	share := float64(time.Duration(most.ticks)*tick) / float64(after.at.Sub(before.at))
	if share < least {
		return ""
	}
	return fmt.Sprintf("%s (pid %d, %.2g cores)", most.name, most.pid, share)
}
