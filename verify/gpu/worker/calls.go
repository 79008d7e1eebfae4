package worker

import (
	"encoding/json"
	"fmt"
	"io"

	"planner/costmodel/collective"
	"planner/verify/gpu/start"
	"planner/verify/reduce"
)

// Want is a call of a plan to measure.
type Want = start.Call

// call is a Want that can be made.
type call struct {
	op           collective.Op
	dtype        reduce.DType
	bytes        int
	size, stride int
}

// mostWants and mostDocument bound what is read.
const (
	mostWants    = 100_000
	mostDocument = 64 << 20
)

// ReadWants decodes a JSON list of calls.
func ReadWants(r io.Reader) ([]Want, error) {
	var all []Want
	d := json.NewDecoder(io.LimitReader(r, mostDocument))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("calls: not a JSON list of calls: %w", err)
	}
	if len(all) == 0 || len(all) > mostWants {
		return nil, fmt.Errorf("calls: %d of them: want 1 to %d", len(all), mostWants)
	}
	for i, w := range all {
		if _, err := check(w); err != nil {
			return nil, fmt.Errorf("call %d: %w", i, err)
		}
	}
	return all, nil
}

// check turns a Want into a call.
func check(w Want) (c call, err error) {
	var ok bool
	if c.op, ok = collective.ParseOp(w.Op); !ok || c.op >= collective.Send {
		return c, fmt.Errorf("op %q: unknown: want all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, reduce, gather or scatter", w.Op)
	}
	if c.dtype, ok = reduce.ParseDType(w.DType); !ok {
		return c, fmt.Errorf("dtype %q: unknown: want f32, f16, bf16, f64 or i32", w.DType)
	}
	if w.Bytes < 1 || w.Bytes > 16<<30 {
		return c, fmt.Errorf("bytes %d: out of range: want 1 to 16 GiB", w.Bytes)
	}
	if w.Size < 1 || w.Size > 1<<20 || w.Stride < 0 || w.Stride > 1<<20 {
		return c, fmt.Errorf("size %d, stride %d: out of range: want 1 to 1,048,576", w.Size, w.Stride)
	}
	c.bytes, c.size, c.stride = w.Bytes, w.Size, max(w.Stride, 1)
	return c, nil
}

// fits reports whether the job has ranks for whole groups.
func (c call) fits(ranks int) error {
	if ranks%(c.size*c.stride) != 0 {
		return fmt.Errorf("%v over %d ranks, %d apart: does not fit %d ranks: want a multiple of %d", c.op, c.size, c.stride, ranks, c.size*c.stride)
	}
	return nil
}

// color names a rank's group.
func (c call) color(rank int) int { return rank/(c.size*c.stride)*c.stride + rank%c.stride }

// with returns the options of one call.
func (o *Options) with(c call) *Options {
	one := *o
	one.Type = c.dtype
	return &one
}
