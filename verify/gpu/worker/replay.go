package worker

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/start"
	"planner/verify/gpu/step"
	"planner/verify/replay"
)

// ReplayOptions say how to replay a work.
type ReplayOptions struct {
	Options
	BLAS      string       // path of libcublasLt.so in other places
	NoCompute bool         // calls alone: delays take no time
	Work      *replay.Work // rank 0's
	Question  json.RawMessage
}

// replayWork is what rank processes of a replay are started for.
const replayWork = "gpu-replay"

func init() { register(replayWork, (*ReplayOptions).member) }

// mostWork bounds the JSON of a work.
const mostWork = 256 << 20

// ReadJob decodes what is to be replayed, compressed by gzip or not.
func (o *ReplayOptions) ReadJob(r io.Reader) error {
	in := bufio.NewReader(r)
	r = in
	if magic, _ := in.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("work: %w", err)
		}
		r = z
	}
	var j start.Job
	d := json.NewDecoder(io.LimitReader(r, mostWork))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return fmt.Errorf("work: not what planner verify writes: %w", err)
	}
	if j.Work == nil {
		return errors.New("work: none: want what planner verify writes")
	}
	o.Work, o.Question = j.Work, j.Question
	return step.Check(j.Work)
}

// Replay carries out a work and writes a start.Replayed as JSON to out. Within
// a job of another launcher this process is one rank of NCCL or RCCL.
func Replay(ctx context.Context, o ReplayOptions, out, errOut io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if o.Backend.own() {
		return o.own(ctx, out, errOut)
	}
	return o.begin(ctx, replayWork, &o, o.member, out, errOut)
}

// progress tells of rounds on standard error, for a program to read.
func progress(errOut io.Writer) func(round, of int) {
	return func(round, of int) { fmt.Fprintf(errOut, "%s %d of %d\n", start.Round, round, of) }
}

func (o *ReplayOptions) blas() (*blas.Library, error) {
	if o.NoCompute {
		return nil, nil
	}
	return openBLAS(o.Backend.amd(), o.BLAS)
}

// maths returns what computes on a seat; nil without a library.
func maths(lib *blas.Library, s *cuda.Seat) step.Maths {
	if lib == nil {
		return nil
	}
	return step.NewGPU(lib, s)
}

// fits reports whether all programs are for so many ranks.
func fits(w *replay.Work, ranks int) error {
	for _, p := range w.Programs {
		if n := p.Inner * len(p.Stages); n != ranks {
			return fmt.Errorf("a layout of %d ranks: the job has %d: want as many GPUs as the plan, or --ranks %d", n, ranks, n)
		}
	}
	return nil
}
