package bench

import (
	"os"
	"testing"
	"time"
)

// The lines are of proc_pid_stat(5)'s form: utime is field 14, stime 15.
func TestParseStat(t *testing.T) {
	const rest = " S 7 1 1 0 -1 4194560 1 2 3 4 250 30 5 6 20 0 1 0 100 0 0"
	for line, want := range map[string]process{
		"42 (cc1)" + rest:        {42, 7, "cc1", 280},
		"42 (a b) (c) d)" + rest: {42, 7, "a b) (c) d", 280},
	} {
		if got, ok := parseStat(line); !ok || got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
	for _, line := range []string{"", "42", "42 (x) S 1", "x (y)" + rest, ") ("} {
		if p, ok := parseStat(line); ok {
			t.Errorf("%q: %+v", line, p)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("42 (a b) S 7 1 1 0 -1 4194560 1 2 3 4 250 30 5 6 20 0 1 0 100 0 0")
	f.Fuzz(func(_ *testing.T, s string) { parseStat(s) })
}

func TestBusiest(t *testing.T) {
	begin := time.Now()
	me := os.Getpid()
	before := census{begin, map[int]process{9: {9, 1, "old", 1000}, 11: {11, 5, "rank", 0}}}
	after := census{begin.Add(2 * time.Second), map[int]process{
		me: {me, 5, "planner", 400}, 5: {5, 1, "launcher", 300}, 11: {11, 5, "rank", 250},
		9: {9, 1, "old", 1020}, 8: {8, 1, "cc1", 100}}}
	if got, want := busiest(before, after, true), "cc1 (pid 8, 0.5 cores)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := busiest(before, after, false), "launcher (pid 5, 1.5 cores)"; got != want {
		t.Errorf("one process: got %q, want %q", got, want)
	}
	if got := busiest(after, census{after.at.Add(time.Second), after.procs}, true); got != "" {
		t.Errorf("nobody worked, got %q", got)
	}
}
