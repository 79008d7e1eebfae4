package replay

import (
	"context"
	"math"
	"testing"
	"time"

	"planner/verify/transport"
)

// TestServe runs a work on ranks of another kind, in one process and over a
// world: both get the same replies.
func TestServe(t *testing.T) {
	work := &Work{Programs: []*Program{{Inner: 2, Calls: []CallSpec{{Size: 2, Stride: 1}}, Slots: 1,
		Stages: [][]Action{{{Kind: Start, Peer: -1}, {Kind: Wait}}}}}, Rounds: 3}
	ranks := []Rank{dummy(0), dummy(1)}
	check := func(r *Result, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		s := r.Steps[0]
		if r.Rounds != 3 || math.Abs(float64(s.Median)-0.02) > 1e-9 || s.Rows[0].N != 3 || math.Abs(float64(s.Rows[0].Median)-0.003) > 1e-9 {
			t.Errorf("%+v: want steps of 20 ms with a call of 3 ms, that of the rank that came last", r)
		}
	}
	check(Together(context.Background(), ranks, work, nil))
	l, err := transport.NewLocal(2, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := Serve(context.Background(), l.World(1), ranks[1], nil, nil)
		done <- err
	}()
	check(Serve(context.Background(), l.World(0), ranks[0], work, nil))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// dummy takes 3 or 5 ms for the call and 20 for the step.
type dummy int

func (d dummy) Do(_ context.Context, c *Command) (*Reply, error) {
	if c.Kind != CmdStep {
		return &Reply{}, nil
	}
	took := time.Duration(3+2*d) * time.Millisecond
	return &Reply{Events: []Event{{Group: 1, Seq: 1, Begin: -took}}, End: 20 * time.Millisecond}, nil
}
