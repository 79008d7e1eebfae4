package unit

import (
	"math"
	"strconv"
)

// String formats b with a binary prefix and three significant digits.
func (b Bytes) String() string {
	return scale(float64(b), 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB")
}

// Decimal formats b with a decimal prefix, as traffic is written.
func (b Bytes) Decimal() string {
	return scale(float64(b), 1000, "B", "kB", "MB", "GB", "TB", "PB")
}

// GiB returns b in GiB.
func (b Bytes) GiB() float64 { return float64(b) / float64(GiB) }

// String formats r as bytes per second with a decimal prefix.
func (r BytesPerSecond) String() string {
	return scale(float64(r), 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
}

// Gbps returns r in gigabits per second, as network links are sold.
func (r BytesPerSecond) Gbps() float64 { return float64(r) * 8 / 1e9 }

// String formats f with a decimal prefix.
func (f FLOPs) String() string {
	return scale(float64(f), 1000, "FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP")
}

// String formats r with a decimal prefix.
func (r FLOPS) String() string {
	return scale(float64(r), 1000, "FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s")
}

// String formats s in the unit that keeps three significant digits.
func (s Seconds) String() string {
	v, abs := float64(s), math.Abs(float64(s))
	switch {
	case abs == 0:
		return "0 s"
	case abs < 1e-3:
		return strconv.FormatFloat(v*1e6, 'g', 3, 64) + " µs"
	case abs < 1:
		return strconv.FormatFloat(v*1e3, 'g', 3, 64) + " ms"
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " s"
}

func scale(v, base float64, names ...string) string {
	i := 0
	for math.Abs(v) >= base && i < len(names)-1 {
		v /= base
		i++
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " " + names[i]
}
