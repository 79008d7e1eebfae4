package transport

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseShape(t *testing.T) {
	tests := []struct {
		in   string
		want Shape
		bad  string
	}{
		{in: "2x4:nvlink=400MB/s,ib=40MB/s,delay=1ms", want: Shape{Nodes: 2, PerNode: 4,
			Intra: Link{Bandwidth: 400e6}, Inter: Link{Bandwidth: 40e6, Delay: 1e-3}}},
		{in: "2x2:inter=1GB/s,nics=1,intra-delay=2s", want: Shape{Nodes: 2, PerNode: 2, NICsPerNode: 1,
			Intra: Link{Delay: 2}, Inter: Link{Bandwidth: 1e9}}},
		{in: "1x2", bad: "no rate and no delay"},
		{in: "2x2:nics=1", bad: "no rate and no delay"},
		{in: "2x2:delay=1000h", bad: "longer than"},
		{in: "2y4", bad: "not NODESxRANKS"},
		{in: "0x4", bad: "out of range"},
		{in: "2x2:ib=40", bad: "no unit"},
		{in: "2x2:ib=0B/s", bad: "below 1 kB/s"},
		{in: "2x2:ib=1e300MB/s", bad: "above 1 PB/s"},
		{in: "2x2:ib=40MB/s,ib=50MB/s", bad: "ib is given twice"},
		{in: "2x2:ib=40MB/s,roce=40MB/s", bad: "roce=40MB/s: ib is given twice"},
		{in: "2x2:ib=40MB/s,nics=1,nics=2", bad: "nics is given twice"},
		{in: "2x2:nics=3", bad: "1 to 2"},
		{in: "2x2:warp=1GB/s", bad: "unknown key"},
		{in: "1024x1024", bad: "emulated ports"},
	}
	for _, tt := range tests {
		got, err := ParseShape(tt.in)
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("ParseShape(%q) = %v, want an error with %q", tt.in, err, tt.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("ParseShape(%q) = %+v, %v, want %+v", tt.in, got, err, tt.want)
		}
	}
}

func TestShapeReadsAsPeopleWrite(t *testing.T) {
	for in, want := range map[string]string{
		"2x1:ib=10MB/s,delay=1ms":        "2x1:inter=10MB/s,delay=1ms",
		"2x4:pcie=123456789B/s,nics=1":   "2x4:intra=123456789B/s,nics=1",
		"2x4:nvlink=1.5GB/s,delay=2.5us": "2x4:intra=1.5GB/s,delay=2.5µs",
	} {
		if s, err := ParseShape(in); err != nil || s.String() != want {
			t.Errorf("%s reads back as %v, %v, want %s", in, s, err, want)
		}
	}
}

func FuzzParseShape(f *testing.F) {
	f.Add("2x4:nvlink=400MB/s,ib=40MB/s,delay=1ms,nics=1")
	f.Add("1x1:")
	f.Fuzz(func(t *testing.T, in string) {
		s, err := ParseShape(in)
		if err != nil {
			return
		}
		again, err := ParseShape(s.String())
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%q printed as %q reads %+v, %v", in, s, again, err)
		}
	})
}

// TestPortsCarryOneMessageAtATime books at random and adds up: time is neither
// lost nor given out twice.
func TestPortsCarryOneMessageAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := new(ports)
		base := now() + int64(1e12) // nothing is forgotten
		var total [4]int64
		for range rapid.IntRange(1, 30).Draw(t, "messages") {
			from, to := rapid.IntRange(0, 1).Draw(t, "from"), rapid.IntRange(2, 3).Draw(t, "to")
			at := base + int64(rapid.IntRange(0, 1000).Draw(t, "at"))*1000
			d := int64(rapid.IntRange(1, 500).Draw(t, "µs")) * 1000
			if end := ps.book(from, to, at, d); end < at+d {
				t.Fatalf("a message of %d ns sent at %d ended at %d", d, at, end)
			}
			total[from] += d
			total[to] += d
		}
		for i, want := range total {
			sum, last := int64(0), int64(0)
			for _, v := range ps.port[i].busy[:ps.port[i].n] {
				if v.from <= last {
					t.Fatalf("port %d: intervals out of order: %v", i, ps.port[i].busy[:ps.port[i].n])
				}
				sum, last = sum+v.to-v.from, v.to
			}
			if sum != want {
				t.Fatalf("port %d is busy for %d ns, want %d", i, sum, want)
			}
		}
	})
}

// TestFullBookIsStillOrdered fills a port beyond what it remembers.
func TestFullBookIsStillOrdered(t *testing.T) {
	ps := new(ports)
	base := now() + int64(1e12)
	for i := range int64(3 * bookings) {
		ps.book(0, 1, base+i*10_000, 3000)
	}
	for i := int64(1); i < ps.port[0].n; i++ {
		if ps.port[0].busy[i].from <= ps.port[0].busy[i-1].to {
			t.Fatalf("intervals overlap: %v", ps.port[0].busy[:ps.port[0].n])
		}
	}
}
