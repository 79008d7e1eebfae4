package strategies

import (
	"math"

	"planner/hardware/unit"
)

// slot returns what a stage loses in the exchange with its neighbours for each
// micro-batch.
func (s *site) slot(st *stage) unit.Seconds {
	neighbours := 2.0
	if st.embed {
		neighbours--
	}
	if st.head {
		neighbours--
	}
	return s.fit.Slot + s.p.ExchangeWait(s.fit).Times(neighbours)
}

// ExchangeWait returns how long a stage waits for each neighbour and
// micro-batch in jobs of many GPUs. Of nanotron's runs (presets/runs) on 8 to 64
// GPUs one in ten waits half a second there, whatever the message, of those on
// 256 half, on 512 all: as if one node in fifty were faulty. It grows from
// nothing at 256 GPUs to the whole at 512.
func (p *Problem) ExchangeWait(f *ProfileFit) unit.Seconds {
	doublings := math.Log2(float64(p.Cluster.GPUs) / mostlyWithout)
	return f.SlotWide.Times(min(1, max(0, doublings)))
}

// mostlyWithout is the largest job in GPUs whose exchanges mostly go without
// waits.
const mostlyWithout = 256
