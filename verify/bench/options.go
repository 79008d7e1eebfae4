package bench

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Options say what to measure. Run hands them to every rank as JSON.
type Options struct {
	Ops       []collective.Op
	Begin     int // bytes of M, from
	End       int // to, at most
	Factor    int // each size is this many times the last
	Type      reduce.DType
	Reduction reduce.Op
	Root      int
	Algorithm engine.Choice
	Compare   Comparison // instead of a table of operations
	Iters     int        // timed iterations; 0 lets the time decide
	Warmup    int
	Ranks     int
	Cores     []int // rank r runs on Cores[r mod len]; none: a core each, where there are enough
	Hosts     []string
	Address   string
	Kind      transport.Kind
	Shape     *transport.Shape
	Timeout   time.Duration
	ShmDir    string
	Format    string // table, json or csv
}

// Comparison is a ready question.
type Comparison uint8

// The comparisons.
const (
	None         Comparison = iota
	SplitInTwo              // AllReduce against ReduceScatter + AllGather
	RingAndNaive            // AllReduce by ring against reduce to one rank and broadcast
)

var comparisonNames = [...]string{"", "allreduce-vs-rs+ag", "ring-vs-naive"}

// String returns the name that the flag uses.
func (c Comparison) String() string { return comparisonNames[c] }

// ParseComparison reads a name that String prints.
func ParseComparison(s string) (Comparison, error) {
	for i, n := range comparisonNames {
		if n == s {
			return Comparison(i), nil
		}
	}
	return None, fmt.Errorf("--compare %q: unknown: want %s", s, strings.Join(comparisonNames[1:], " or "))
}

// maxSize bounds a message: two buffers of it per rank must fit a segment.
const maxSize = 16 << 30

// Validate reports the first thing that is wrong, by its flag.
func (o *Options) Validate() error {
	switch {
	case o.Ranks < 1 || o.Ranks > 1024:
		return fmt.Errorf("--ranks %d: out of range: want 1 to 1024", o.Ranks)
	case o.Begin < 0 || o.Begin > maxSize:
		return fmt.Errorf("-b %d: out of range: want 0 to 16G", o.Begin)
	case o.End < o.Begin || o.End > maxSize:
		return fmt.Errorf("-e %d: out of range: want -b %d to 16G", o.End, o.Begin)
	case o.Factor < 2:
		return fmt.Errorf("-f %d: too small: want at least 2", o.Factor)
	case o.Root < 0 || o.Root >= o.Ranks:
		return fmt.Errorf("--root %d: out of range: want 0 to %d", o.Root, o.Ranks-1)
	case o.Iters < 0 || o.Iters > 1e6:
		return fmt.Errorf("--iters %d: out of range: want 0 to 1000000", o.Iters)
	case o.Warmup < 0 || o.Warmup > 1e6:
		return fmt.Errorf("--warmup %d: out of range: want 0 to 1000000", o.Warmup)
	case o.Timeout < 0:
		return fmt.Errorf("--timeout %v: negative: want a time, or 0 for %v", o.Timeout, transport.DefaultTimeout)
	case len(o.Hosts) > 0 && o.Address == "":
		return fmt.Errorf("--hosts %s: no --address: want host:port of rank 0 as the other hosts reach it", strings.Join(o.Hosts, ","))
	case o.Kind == transport.Goroutine && len(o.Hosts) > 0:
		return fmt.Errorf("--transport goroutine: one process: want tcp or mixed with --hosts")
	case o.Format != "table" && o.Format != "json" && o.Format != "csv":
		return fmt.Errorf("--format %q: unknown: want table, json or csv", o.Format)
	}
	if o.Shape != nil {
		if err := o.Shape.Validate(o.Ranks); err != nil {
			return fmt.Errorf("--emulate: %w", err)
		}
	}
	if err := o.fits(freeMemory()); err != nil {
		return err
	}
	if err := o.validateCores(); err != nil {
		return err
	}
	return o.validateAlgorithm()
}

// oneOf lists algorithms for a sentence.
func oneOf(all []steps.Algorithm) string {
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.String()
	}
	return strings.Join(names, ", ")
}

func (o *Options) validateAlgorithm() error {
	for _, op := range o.Ops {
		s := steps.Spec{Op: op, Alg: o.Algorithm.Algorithm, Ranks: o.Ranks, Root: o.Root, Node: o.Ranks}
		if o.Algorithm.Forced {
			if _, err := steps.Build(s, 0); err != nil {
				return fmt.Errorf("--algo %v: does not serve %v: want %s", o.Algorithm.Algorithm, op, oneOf(steps.Algorithms(op)))
			}
		}
	}
	return nil
}

// sizes returns the sizes to measure, in bytes.
func (o *Options) sizes() []int {
	list := []int{o.Begin}
	for s := max(o.Begin, 1) * o.Factor; s <= o.End && o.Begin > 0; s *= o.Factor {
		list = append(list, s)
	}
	return list
}

// ParseSize reads "8", "1K", "128M" or "1G" as nccl-tests does, in powers of
// 1024; "1KiB" means the same.
func ParseSize(s string) (int, error) {
	t := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	shift := 0
	if t != "" {
		if i := strings.IndexByte("KMG", t[len(t)-1]); i >= 0 {
			shift, t = 10*(i+1), t[:len(t)-1]
		}
	}
	n, err := strconv.ParseUint(t, 10, 40)
	if err != nil || n<<shift > 1<<50 || n<<shift>>shift != n {
		return 0, fmt.Errorf("size %q: not a size: want bytes, or a number with K, M or G", s)
	}
	return int(n << shift), nil
}

// call returns the call of op for about size bytes of M. As nccl-tests does,
// calls with pieces have pieces of a multiple of 16 bytes.
func (o *Options) call(op collective.Op, size, ranks int) engine.Call {
	e := o.Type.Size()
	c := engine.Call{Op: op, Type: o.Type, Reduction: o.Reduction, Root: o.Root, Algorithm: o.Algorithm, Count: size / e}
	if pieces(op) {
		c.Count = size / ranks &^ 15 / e * ranks
	}
	return c
}

func pieces(op collective.Op) bool {
	switch op {
	case collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Gather, collective.Scatter:
		return true
	}
	return false
}
