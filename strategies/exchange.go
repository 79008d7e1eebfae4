package strategies

import (
	"math"

	"planner/hardware/unit"
)

// ExchangeWait returns how long a stage waits for each message of a neighbour in
// jobs of many GPUs. Of nanotron's runs (presets/runs) on 8 to 64 GPUs one in ten
// waits half a second there, whatever the message, of those on 256 half, on 512
// all: as if one node in fifty were faulty. It grows from nothing at 256 GPUs to
// the whole at 512.
func (p *Problem) ExchangeWait(f *ProfileFit) unit.Seconds {
	if f.SlotWide == 0 {
		return 0
	}
	doublings := math.Log2(float64(p.Cluster.GPUs) / mostlyWithout)
	return f.SlotWide.Times(min(1, max(0, doublings)))
}

// mostlyWithout is the largest job in GPUs whose exchanges mostly go without
// waits.
const mostlyWithout = 256
