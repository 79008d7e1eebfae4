// Package unit gives the quantities of the planner their own types, so that
// the compiler rejects adding bytes to seconds.
//
// Every value is held in its base unit (byte, second, FLOP, byte per second,
// FLOP per second). Prefixes are decimal unless written with an i: 1 GB is
// 1e9 bytes, 1 GiB is 2^30 bytes. Prefixes exist at the doors only: Parse*
// reads them, String and the format helpers write them.
package unit

type (
	// Bytes is an amount of memory or traffic, in bytes.
	Bytes float64
	// Seconds is a duration. Model times are divided, averaged and fitted,
	// so they are not time.Duration's integer nanoseconds.
	Seconds float64
	// FLOPs is a count of floating-point operations; a fused multiply-add
	// counts as two.
	FLOPs float64
	// BytesPerSecond is a bandwidth, one direction.
	BytesPerSecond float64
	// FLOPS is a rate of floating-point operations per second.
	FLOPS float64
	// Watts is a power.
	Watts float64
	// Hertz is a clock rate.
	Hertz float64
)

// Common multiples.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	GB  Bytes = 1e9

	Microsecond Seconds = 1e-6
	Millisecond Seconds = 1e-3

	GBps   BytesPerSecond = 1e9
	TFLOPS FLOPS          = 1e12
)

// Over returns the time to move b at rate bw; +Inf for bw == 0 and b > 0.
func (b Bytes) Over(bw BytesPerSecond) Seconds { return Seconds(float64(b) / float64(bw)) }

// Times scales b by a dimensionless factor.
func (b Bytes) Times(k float64) Bytes { return Bytes(float64(b) * k) }

// Times scales s by a dimensionless factor.
func (s Seconds) Times(k float64) Seconds { return Seconds(float64(s) * k) }

// Times scales r by a dimensionless factor.
func (r BytesPerSecond) Times(k float64) BytesPerSecond { return BytesPerSecond(float64(r) * k) }

// Times scales r by a dimensionless factor.
func (r FLOPS) Times(k float64) FLOPS { return FLOPS(float64(r) * k) }

// Times scales f by a dimensionless factor.
func (f FLOPs) Times(k float64) FLOPs { return FLOPs(float64(f) * k) }
