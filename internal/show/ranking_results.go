package show

import (
	"fmt"
	"strconv"

	"planner/hardware/unit"
)

// resultColumns returns what is predicted of a layout: how fast, how full, how
// it compares. For other tools every cell is one number.
func resultColumns(causal, tools bool) []column {
	cols := []column{
		{Column{Title: "rec", Left: true}, func(r *row) string { return RecomputeCell(&r.e.Layout) }},
		{Column{Title: "step s"}, func(r *row) string { return fmt.Sprintf("%.2f", r.e.Step) }},
	}
	cols = append(cols, bandColumns(tools)...)
	cols = append(cols, column{Column{Title: "MFU %"}, func(r *row) string { return Percent(r.rates.MFU) }})
	if causal {
		cols = append(cols, column{Column{Title: "causal %"}, func(r *row) string { return Percent(r.rates.MFUCausal) }})
	}
	cols = append(cols,
		column{Column{Title: "tok/s/GPU"}, func(r *row) string { return rateCell(r, tools) }},
		column{Column{Title: "mem GiB"}, func(r *row) string { return fmt.Sprintf("%.1f", r.e.Memory.Total().GiB()) }})
	cols = append(cols, capacityColumns(tools)...)
	return append(cols,
		column{Column{Title: "vs #1"}, func(r *row) string { return fmt.Sprintf("+%.1f", 100*r.slower) }},
		column{Column{Title: "bound", Left: true}, func(r *row) string { return r.e.Bound() }},
		column{Column{Title: "framework", Left: true}, func(r *row) string { return r.e.Framework.Name }})
}

func rateCell(r *row, tools bool) string {
	n := int(r.rates.TokensPerSecondPerGPU + 0.5)
	if tools {
		return strconv.Itoa(n)
	}
	return Count(n)
}

// bandColumns returns the 80 % band of the step: bands are skewed, so half
// their width around the step would say what was not measured.
func bandColumns(tools bool) []column {
	if tools {
		return []column{
			{Column{Title: "low s"}, func(r *row) string { return fmt.Sprintf("%.2f", r.e.Low) }},
			{Column{Title: "high s"}, func(r *row) string { return fmt.Sprintf("%.2f", r.e.High) }},
		}
	}
	return []column{{Column{Title: "80 % band"}, func(r *row) string { return Band(r.e.Low, r.e.High) }}}
}

// capacityColumns returns the share of capacity, starred where the verdict on
// it is uncertain.
func capacityColumns(tools bool) []column {
	share := func(r *row) string { return fmt.Sprintf("%.0f", 100*float64(r.e.Memory.Total()/r.p.Capacity())) }
	if tools {
		return []column{{Column{Title: "cap %"}, share}, {Column{Title: "marginal"}, func(r *row) string { return strconv.FormatBool(r.marginal) }}}
	}
	return []column{{Column{Title: "cap %"}, func(r *row) string {
		if r.marginal {
			return share(r) + "*"
		}
		return share(r) + " "
	}}}
}

// Band writes the 80 % band of a step in seconds, both ends with the digits
// that tell the lower one to three figures.
func Band(low, high unit.Seconds) string {
	digits := 0
	for v := low; v < 100 && digits < 3; v *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f…%.*f", digits, float64(low), digits, float64(high))
}
