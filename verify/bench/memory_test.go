package bench

import (
	"strings"
	"testing"

	"planner/hardware/unit"
	"planner/verify/transport"
)

// 1024 ranks have 1024² lanes of 8 messages of 4 KiB: 32 GiB for the messages
// alone, in a process whose heap is up to three times what it holds.
func TestRanksFitMemory(t *testing.T) {
	for _, c := range []struct {
		ranks int
		kind  transport.Kind
		free  unit.Bytes
		want  string
	}{
		{1024, transport.Goroutine, 24 * unit.GiB, "GiB for messages between every two, and 24 GiB are free: want at most 4"},
		{1024, transport.Goroutine, 200 * unit.GiB, ""},
		{1024, transport.Goroutine, 0, ""},
		{1024, transport.TCP, 24 * unit.GiB, ""},
		{256, transport.Goroutine, 24 * unit.GiB, ""},
		{4, transport.Goroutine, unit.GiB, ""},
	} {
		o := Options{Ranks: c.ranks, Kind: c.kind}
		if err := o.fits(c.free); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d ranks in %v: %v, want %q", c.ranks, c.free, err, c.want)
		}
	}
	if got := transport.LocalBytes(1024); got < 32*unit.GiB || got > 36*unit.GiB {
		t.Errorf("lanes of 1024 ranks: %v, want a little over 32 GiB", got)
	}
}
