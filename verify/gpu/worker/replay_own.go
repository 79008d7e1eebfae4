package worker

import (
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
	d := &start.Replayed{Question: o.Question, Backend: string(o.Backend), Library: drv.Title()}
	all, err := o.seats(drv, ordinals, lib, d)
	if err != nil {
		return err
	}
	if d.Result, err = replay.Together(ctx, all.ranks, o.Work, progress(errOut)); err != nil {
		return err
	}
	err = all.end(ctx)
	d.Notes = doubts()
	return errors.Join(err, json.NewEncoder(out).Encode(d))
}

// ownRanks is ranks of this process, each with the GPU that it is on.
type ownRanks struct {
	ranks  []replay.Rank
	groups []*cuda.Group
}

// seats puts a rank on each of some GPUs, and says in d where they are.
func (o *ReplayOptions) seats(drv *cuda.Driver, ordinals []int, lib *blas.Library, d *start.Replayed) (*ownRanks, error) {
	fabric := step.NewOwn(drv, ordinals, o.Timeout)
	all := &ownRanks{}
	for r, ordinal := range ordinals {
		g, err := cuda.NewGroup(drv, []int{ordinal})
		if err != nil {
			return nil, err
		}
		all.groups = append(all.groups, g)
		all.ranks = append(all.ranks, step.NewRank(r, g.Seat(0), fabric.Rank(r, g.Seat(0)), maths(lib, g.Seat(0)), o.Timeout))
		d.GPUs = append(d.GPUs, fmt.Sprintf("%s device %d %s %s", hostName(), ordinal, g.Device(0).Bus, g.Device(0).Name))
		d.Place.Nodes = append(d.Place.Nodes, 0)
	}
	d.Place.Ranks, d.Place.What = len(ordinals), "GPUs of this machine, by the engine's kernels"
	return all, nil
}

// end lets the ranks go, then their GPUs.
func (a *ownRanks) end(ctx context.Context) error {
	var errs []error
	for _, r := range a.ranks {
		_, err := r.Do(ctx, &replay.Command{Kind: replay.CmdEnd})
		errs = append(errs, err)
	}
	for _, g := range a.groups {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}
