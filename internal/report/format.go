package report

import (
	"fmt"
	"math"
	"strconv"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/show"
	"planner/strategies"
)

// tokens writes an amount of tokens: "15 T", "300 B".
func tokens(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, " T"}, {1e9, " B"}, {1e6, " M"}} {
		if n >= u.size {
			return strconv.FormatFloat(n/u.size, 'g', 4, 64) + u.name
		}
	}
	return strconv.FormatFloat(n, 'g', 6, 64)
}

// dollars writes an amount of money with three or four significant digits.
func dollars(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("$%.2f B", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("$%.2f M", v/1e6)
	case v >= 1e4:
		return "$" + show.Count(int64(math.Round(v)))
	}
	return fmt.Sprintf("$%.2f", v)
}

// days writes a duration.
func days(d float64) string {
	switch {
	case d >= 10:
		return show.Count(int64(math.Round(d))) + " days"
	case d >= 1:
		return fmt.Sprintf("%.1f days", d)
	}
	return fmt.Sprintf("%.1f hours", 24*d)
}

// energy writes watt-hours.
func energy(wh float64) string {
	if wh >= 1e9 {
		return fmt.Sprintf("%.2f GWh", wh/1e9)
	}
	return fmt.Sprintf("%.1f MWh", wh/1e6)
}

func gib(b float64) string { return fmt.Sprintf("%.1f", b/(1<<30)) }

func seconds(s float64) string { return fmt.Sprintf("%.2f", s) }

// points writes a share of the peak in points, with two digits where one would
// hide it.
func points(f float64) string {
	if abs(f) < 5e-4 {
		return fmt.Sprintf("%+.2f", 100*f)
	}
	return fmt.Sprintf("%+.1f", 100*f)
}

func signed(f float64) string {
	if abs(f) < 5e-4 {
		f = 0
	}
	return fmt.Sprintf("%+.1f", 100*f)
}

// peak writes the dense peak of one GPU as data sheets do.
func peak(p *strategies.Problem) string {
	return fmt.Sprintf("%.1f TFLOP/s", float64(p.Cluster.GPU.PeakOf(p.Work.Precision)/unit.TFLOPS))
}

// bandOf writes the ends of a band, "—" where none is known.
func bandOf(e *strategies.Estimate) string {
	if e.High <= e.Low {
		return "—"
	}
	return show.Band(e.Low, e.High)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// linkTitle is how people write a fabric.
func linkTitle(k hardware.LinkKind) string {
	titles := map[hardware.LinkKind]string{hardware.InfiniBand: "InfiniBand", hardware.RoCE: "RoCE", hardware.EFA: "EFA", hardware.Ethernet: "Ethernet",
		hardware.TCPX: "TCPX", hardware.TCPXO: "TCPXO", hardware.Slingshot: "Slingshot", hardware.PCIe: "PCIe", hardware.PCIeHost: "PCIe through the host",
		hardware.XGMI: "xGMI", hardware.NVLink: "NVLink", hardware.NVLinkMesh: "NVLink mesh", hardware.Host: "host memory"}
	if t, ok := titles[k]; ok {
		return t
	}
	return string(k)
}
