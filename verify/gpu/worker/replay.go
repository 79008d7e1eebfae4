package worker

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"planner/verify/engine"
	"planner/verify/gpu/blas"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/nccl"
	"planner/verify/gpu/start"
	"planner/verify/gpu/step"
	"planner/verify/launch"
	"planner/verify/replay"
	"planner/verify/transport"
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

func init() {
	launch.Register(replayWork, func(ctx context.Context, j *launch.Job, args []byte) error {
		var o ReplayOptions
		if err := json.Unmarshal(args, &o); err != nil {
			return err
		}
		return o.member(ctx, j, os.Stdout, os.Stderr)
	})
}

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
	place, ok, err := launch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if ok {
		c := launch.Config{Kind: transport.TCP, Secret: os.Getenv("PLANNER_SECRET"), Options: transport.Options{Timeout: o.Timeout}}
		return launch.Member(ctx, place, c, func(ctx context.Context, j *launch.Job, _ []byte) error {
			return o.member(ctx, j, out, errOut)
		}, nil)
	}
	if o.Ranks == 0 {
		if o.Ranks, err = o.visible(); err != nil {
			return err
		}
	}
	return launch.Run(ctx, launch.Spec{Work: replayWork, Args: o, Ranks: o.Ranks, Kind: transport.TCP, Timeout: o.Timeout, Out: out, Err: errOut})
}

// progress tells of rounds on standard error, for a program to read.
func progress(errOut io.Writer) func(round, of int) {
	return func(round, of int) { fmt.Fprintf(errOut, "%s %d of %d\n", start.Round, round, of) }
}

// own replays by the engine's own kernels, all ranks in this process.
func (o *ReplayOptions) own(ctx context.Context, out, errOut io.Writer) error {
	drv, err := o.open()
	if err != nil {
		return err
	}
	ordinals, err := o.place(drv)
	if err != nil {
		return err
	}
	if err := fits(o.Work, len(ordinals)); err != nil {
		return err
	}
	doubts := o.watch()
	lib, err := o.blas()
	if err != nil {
		return err
	}
	fabric := step.NewOwn(drv, ordinals, o.Timeout)
	var ranks []replay.Rank
	var seats []*cuda.Group
	d := &start.Replayed{Question: o.Question, Backend: string(o.Backend), Library: drv.Title()}
	for r, ordinal := range ordinals {
		g, err := cuda.NewGroup(drv, []int{ordinal})
		if err != nil {
			return err
		}
		seats = append(seats, g)
		d.GPUs = append(d.GPUs, fmt.Sprintf("%s device %d %s %s", hostName(), ordinal, g.Device(0).Bus, g.Device(0).Name))
		d.Place.Nodes = append(d.Place.Nodes, 0)
		ranks = append(ranks, step.NewRank(r, g.Seat(0), fabric.Rank(r, g.Seat(0)), maths(lib, g.Seat(0)), o.Timeout))
	}
	d.Place.Ranks, d.Place.What = len(ranks), "GPUs of this machine, by the engine's kernels"
	if d.Result, err = replay.Together(ctx, ranks, o.Work, progress(errOut)); err != nil {
		return err
	}
	var errs []error
	for _, r := range ranks {
		_, err := r.Do(ctx, &replay.Command{Kind: replay.CmdEnd})
		errs = append(errs, err)
	}
	for _, g := range seats {
		errs = append(errs, g.Close())
	}
	d.Notes = doubts()
	return errors.Join(append(errs, json.NewEncoder(out).Encode(d))...)
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

// member is what each rank of NCCL or RCCL does; rank 0 writes.
func (o *ReplayOptions) member(ctx context.Context, j *launch.Job, out, errOut io.Writer) error {
	d, err := o.rank(ctx, j.World, j.LocalRank, errOut)
	if err != nil || j.Rank != 0 {
		return err
	}
	for r := range d.Place.Ranks {
		d.Place.Nodes = append(d.Place.Nodes, j.World.Node(r))
	}
	return json.NewEncoder(out).Encode(d)
}

// rank replays as one rank of a job, on the GPU that its place on the machine
// gives it.
func (o *ReplayOptions) rank(ctx context.Context, w transport.World, local int, errOut io.Writer) (*start.Replayed, error) {
	if w.Rank() == 0 {
		if err := fits(o.Work, w.Size()); err != nil {
			return nil, err
		}
	}
	host, err := engine.New(w)
	if err != nil {
		return nil, err
	}
	lib, err := nccl.Open(o.kind(), paths(o.Library)...)
	if err != nil {
		return nil, err
	}
	lib.Blocking = o.Blocking
	products, err := o.blas()
	if err != nil {
		return nil, err
	}
	drv, g, where, err := o.take(local)
	if err != nil {
		return nil, err
	}
	m := &member{o: &o.Options, host: host, seat: g.Seat(0)}
	doc := &Document{}
	if err := m.meet(lib, where, doc); err != nil {
		return nil, err
	}
	fabric, err := step.NewNCCL(m.world, lanesOf(drv, g.Device(0).Ordinal))
	if err != nil {
		return nil, err
	}
	doubts := o.watch()
	r := step.NewRank(w.Rank(), g.Seat(0), fabric, maths(products, g.Seat(0)), o.Timeout)
	result, err := replay.Serve(ctx, w, r, o.Work, progress(errOut))
	if err != nil {
		m.comm.Abort()
		return nil, err
	}
	d := &start.Replayed{Question: o.Question, Result: result, Backend: string(o.Backend), Library: lib.Title(),
		GPUs: doc.GPUs, Notes: append(doc.Notes, doubts()...)}
	d.Place.Ranks, d.Place.What = w.Size(), fmt.Sprintf("GPUs, %s", d.Library)
	return d, errors.Join(m.close(), g.Close(), host.Close())
}

// lanesOf returns what gives streams of a GPU.
func lanesOf(d *cuda.Driver, ordinal int) func(n int) ([]step.Lane, error) {
	return func(n int) (out []step.Lane, err error) {
		same := make([]int, n)
		for i := range same {
			same[i] = ordinal
		}
		g, err := cuda.NewGroup(d, same)
		if err != nil {
			return nil, err
		}
		for i := range same {
			out = append(out, g.Seat(i))
		}
		return out, nil
	}
}

// First reports whether this process is rank 0, or no launcher started it.
func First(env func(string) string) bool {
	p, ok, err := launch.FromEnv(env)
	return !ok || err != nil || p.Rank == 0
}
