package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"planner/hardware/unit"
	"planner/verify/transport"
)

// collected is the memory that ranks in one process take over what they hold, for
// Go's collector runs late: 1.8 to 2.5 times at 64 to 512 ranks (2-core AMD EPYC,
// 2026-11).
const collected = 3

// localNeed returns the memory of ranks in one process: lanes between every two,
// and the sentinel's blocks. That of long messages comes on top.
func localNeed(ranks int) unit.Bytes {
	return (transport.LocalBytes(ranks) + unit.Bytes(2*sentinelBytes*ranks)).Times(collected)
}

// fits refuses ranks in one process that take more memory than is free; 0 is not
// known.
func (o *Options) fits(free unit.Bytes) error {
	most := o.Ranks
	for free > 0 && most > 1 && localNeed(most) > free {
		most--
	}
	if most == o.Ranks || o.Kind != transport.Goroutine {
		return nil
	}
	return fmt.Errorf("--ranks %d: goroutines take %s for messages between every two, and %s are free: want at most %d", o.Ranks, localNeed(o.Ranks), free, most)
}

// freeMemory returns what Linux says that a new program can have; 0 elsewhere.
func freeMemory() unit.Bytes {
	text, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := bytes.Cut(text, []byte("MemAvailable:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseFloat(string(fields[0]), 64) // 0 where it is no number
	return unit.Bytes(kib).Times(1 << 10)
}
