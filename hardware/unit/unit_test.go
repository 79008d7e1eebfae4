package unit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware/unit"
)

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]unit.Bytes{
		"80GiB": 80 << 30, "192 GB": 192e9, "4096": 4096, "1.5 MiB": 1.5 * (1 << 20), "7b": 7, "2tib": 2 << 40, "1e3 KB": 1e6,
	} {
		if got, err := unit.ParseBytes(s); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", s, float64(got), err, float64(want))
		}
	}
	for s, want := range map[string]string{
		"80GBs": `"80GBs": unknown unit "GBs": want B, KB, MB, GB, TB, KiB, MiB, GiB or TiB`,
		"-1GB":  `"-1GB": negative: want 0 or more`,
		"GB":    `"GB": not a size: want a number and a unit: B, KB, MB, GB, TB, KiB, MiB, GiB or TiB`,
		"":      `"": not a size: want a number and a unit: B, KB, MB, GB, TB, KiB, MiB, GiB or TiB`,
	} {
		if _, err := unit.ParseBytes(s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", s, err, want)
		}
	}
}

func TestParseBandwidth(t *testing.T) {
	for s, want := range map[string]unit.BytesPerSecond{
		"400Gb/s": 50e9, "50GB/s": 50e9, "3.35TB/s": 3.35e12, "100 Gb/s": 12.5e9, "1GiB/s": 1 << 30, "3.2Tb/s": 400e9,
		"400Gbps": 50e9,
	} {
		if got, err := unit.ParseBandwidth(s); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", s, float64(got), err, float64(want))
		}
	}
	if _, err := unit.ParseBandwidth("50"); err == nil || !strings.Contains(err.Error(), "no unit") {
		t.Errorf("50: got %v, want that the unit is missing", err)
	}
}

func TestParseOthers(t *testing.T) {
	if v, err := unit.ParseSeconds("3us"); err != nil || math.Abs(float64(v)-3e-6) > 1e-18 {
		t.Errorf("3us: %v, %v", v, err)
	}
	if v, err := unit.ParseFLOPS("989.4TFLOP/s"); err != nil || v != 989.4e12 {
		t.Errorf("989.4TFLOP/s: %v, %v", v, err)
	}
	if v, err := unit.ParseWatts("0.7kW"); err != nil || v != 700 {
		t.Errorf("0.7kW: %v, %v", v, err)
	}
	if v, err := unit.ParseHertz("1830MHz"); err != nil || v != 1.83e9 {
		t.Errorf("1830MHz: %v, %v", v, err)
	}
}

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"79.1 GiB":    unit.Bytes(79.11 * (1 << 30)).String(),
		"80 GB":       unit.Bytes(80e9).Decimal(),
		"50 GB/s":     unit.BytesPerSecond(50e9).String(),
		"989 TFLOP/s": unit.FLOPS(989.4e12).String(),
		"1.2 EFLOP":   unit.FLOPs(1.2e18).String(),
		"0 s":         unit.Seconds(0).String(),
		"3 µs":        unit.Seconds(3e-6).String(),
		"12.5 ms":     unit.Seconds(0.0125).String(),
		"4.321 s":     unit.Seconds(4.3214).String(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What is printed parses, within the three digits printed.
func TestPrintedParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := unit.Bytes(rapid.Float64Range(1, 1e15).Draw(t, "bytes"))
		got, err := unit.ParseBytes(b.Decimal())
		if strings.HasSuffix(b.Decimal(), "PB") {
			return
		}
		if err != nil || math.Abs(float64(got/b)-1) > 0.006 {
			t.Fatalf("%v: printed %q, read %v, %v", float64(b), b.Decimal(), float64(got), err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"80GiB", "400Gb/s", "3us", "989.4TFLOP/s", "700W", "1e308TB", "-0", "٣GB", ".", "1..2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err1 := unit.ParseBytes(s)
		r, err2 := unit.ParseBandwidth(s)
		d, err3 := unit.ParseSeconds(s)
		p, err4 := unit.ParseFLOPS(s)
		w, err5 := unit.ParseWatts(s)
		h, err6 := unit.ParseHertz(s)
		errs := []error{err1, err2, err3, err4, err5, err6}
		for i, v := range []float64{float64(b), float64(r), float64(d), float64(p), float64(w), float64(h)} {
			if errs[i] == nil && !(v >= 0 && !math.IsInf(v, 0)) {
				t.Errorf("%q: accepted as %v", s, v)
			}
			if errs[i] != nil && strings.Contains(errs[i].Error(), "\n") {
				t.Errorf("%q: error of several lines: %v", s, errs[i])
			}
		}
	})
}

func ExampleParseBandwidth() {
	bits, _ := unit.ParseBandwidth("400Gb/s")
	bytes, _ := unit.ParseBandwidth("400GB/s")
	fmt.Println(bits, "and", bytes)
	// Output: 50 GB/s and 400 GB/s
}

func ExampleBytes_Over() {
	fmt.Println((140 * unit.GB).Over(50 * unit.GBps))
	// Output: 2.8 s
}
