package main

import (
	"context"
	"os"
	"time"

	"planner/internal/catalog"
	"planner/internal/verdict"
	"planner/verify/launch"
	"planner/verify/replay"
	"planner/verify/transport"
)

// rankPatience is how long ranks that a launcher started wait for one another,
// and for rank 0 to plan.
const rankPatience = 10 * time.Minute

// withRanks finds the ranks of a question: those of the launcher that started
// this process, or those that the question opens itself. On rank 0 it calls
// what asks; on the others it does what rank 0 says.
func withRanks(ctx context.Context, q *verdict.Question, kind string, asks func() error) error {
	place, launched, err := launch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if launched = launched && place.Size > 1 && q.Backend == nil; kind == "" {
		kind = transport.Goroutine.String()
		if launched {
			kind = transport.Mixed.String()
		}
	}
	var ok bool
	if q.Kind, ok = transport.ParseKind(kind); !ok {
		return catalog.Errorf("--transport %q: unknown: want goroutine, shm, unix, tcp or mixed", kind)
	}
	if !launched || q.Kind == transport.Goroutine {
		return asks()
	}
	c := launch.Config{Kind: q.Kind, Secret: os.Getenv("PLANNER_SECRET"), Patience: rankPatience, Options: transport.Options{Timeout: rankPatience}}
	if q.Emulate != "" {
		if c.Options.Shape, err = transport.ParseShape(q.Emulate); err != nil {
			return catalog.Errorf("--emulate %s", err)
		}
	}
	b, err := replay.Join(ctx, place, c)
	if err != nil || place.Rank != 0 {
		return err
	}
	q.Backend = b
	if err := asks(); err != nil {
		_ = b.Fail(err)
		return err
	}
	return b.Close()
}
