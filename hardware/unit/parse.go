package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// family is a set of unit spellings (lower case) with their multiples and the
// list that an error offers.
type family struct {
	what  string
	units map[string]float64
	want  string
}

var (
	byteFamily = family{"size", map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}, "B, KB, MB, GB, TB, KiB, MiB, GiB or TiB"}
	rateFamily = family{"bandwidth", map[string]float64{
		"b/s": 1, "kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9, "tb/s": 1e12,
		"kib/s": 1 << 10, "mib/s": 1 << 20, "gib/s": 1 << 30,
	}, `GB/s (bytes) or Gb/s (bits), e.g. "400Gb/s" or "50GB/s"`}
	timeFamily = family{"duration", map[string]float64{
		"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600,
	}, "ns, us, ms, s, min or h"}
	flopsFamily = family{"compute rate", map[string]float64{
		"flop/s": 1, "gflop/s": 1e9, "tflop/s": 1e12, "pflop/s": 1e15,
		"flops": 1, "gflops": 1e9, "tflops": 1e12, "pflops": 1e15,
	}, "TFLOP/s or PFLOP/s"}
	wattFamily  = family{"power", map[string]float64{"": 1, "w": 1, "kw": 1e3}, "W or kW"}
	hertzFamily = family{"clock rate", map[string]float64{"hz": 1, "mhz": 1e6, "ghz": 1e9}, "MHz or GHz"}
)

// ParseBytes reads "80GiB", "192 GB" or a bare number of bytes.
func ParseBytes(s string) (Bytes, error) {
	v, err := byteFamily.parse(s)
	return Bytes(v), err
}

// ParseBandwidth reads "50GB/s" (bytes) or "400Gb/s" (bits: a lower-case b).
// "Gbps" and "GBps" are read likewise.
func ParseBandwidth(s string) (BytesPerSecond, error) {
	perSecond := strings.NewReplacer("bps", "b/s", "Bps", "B/s")
	t := perSecond.Replace(strings.TrimSpace(s))
	v, err := rateFamily.parse(t)
	if err != nil {
		_, err = rateFamily.parse(s) // which quotes what was written
		return 0, err
	}
	if strings.HasSuffix(t, "b/s") && !strings.HasSuffix(t, "ib/s") {
		v /= 8
	}
	return BytesPerSecond(v), err
}

// ParseSeconds reads "3us", "1.5ms" or "2s".
func ParseSeconds(s string) (Seconds, error) {
	v, err := timeFamily.parse(s)
	return Seconds(v), err
}

// ParseFLOPS reads "989.4TFLOP/s".
func ParseFLOPS(s string) (FLOPS, error) {
	v, err := flopsFamily.parse(s)
	return FLOPS(v), err
}

// ParseWatts reads "700W".
func ParseWatts(s string) (Watts, error) {
	v, err := wattFamily.parse(s)
	return Watts(v), err
}

// ParseHertz reads "1830MHz".
func ParseHertz(s string) (Hertz, error) {
	v, err := hertzFamily.parse(s)
	return Hertz(v), err
}

func (f family) parse(s string) (float64, error) {
	t := strings.TrimSpace(s)
	i := strings.LastIndexAny(t, "0123456789.") + 1
	v, err := strconv.ParseFloat(t[:i], 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q: not a %s: want a number and a unit: %s", s, f.what, f.want)
	}
	if v < 0 {
		return 0, fmt.Errorf("%q: negative: want 0 or more", s)
	}
	name := strings.TrimSpace(t[i:])
	k, ok := f.units[strings.ToLower(name)]
	if !ok && name == "" {
		return 0, fmt.Errorf("%q: no unit: want %s", s, f.want)
	}
	if !ok {
		return 0, fmt.Errorf("%q: unknown unit %q: want %s", s, name, f.want)
	}
	if math.IsInf(v*k, 0) {
		return 0, fmt.Errorf("%q: too large: want a %s below 1e308", s, f.what)
	}
	return math.Abs(v * k), nil // "-0" is 0
}

// UnmarshalText lets TOML, JSON and flags hold "80GiB".
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}

// UnmarshalText lets TOML hold "400Gb/s".
func (r *BytesPerSecond) UnmarshalText(text []byte) (err error) {
	*r, err = ParseBandwidth(string(text))
	return
}

// UnmarshalText lets TOML hold "3us".
func (s *Seconds) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSeconds(string(text))
	return
}

// UnmarshalText lets TOML hold "989.4TFLOP/s".
func (r *FLOPS) UnmarshalText(text []byte) (err error) { *r, err = ParseFLOPS(string(text)); return }

// UnmarshalText lets TOML hold "700W".
func (w *Watts) UnmarshalText(text []byte) (err error) { *w, err = ParseWatts(string(text)); return }

// UnmarshalText lets TOML hold "1830MHz".
func (h *Hertz) UnmarshalText(text []byte) (err error) { *h, err = ParseHertz(string(text)); return }
