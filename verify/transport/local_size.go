package transport

import (
	"unsafe"

	"planner/hardware/unit"
)

// LocalBytes returns the memory of one group of a Local job: a lane from each
// rank to each, of slots messages of InlineMax bytes.
func LocalBytes(ranks int) unit.Bytes {
	return unit.Bytes(unsafe.Sizeof(localLane{})).Times(float64(ranks) * float64(ranks))
}
