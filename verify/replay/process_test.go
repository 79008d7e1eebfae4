package replay_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"planner/verify/launch"
	"planner/verify/replay"
	"planner/verify/transport"
)

func TestMain(m *testing.M) {
	launch.MaybeWorker()
	os.Exit(m.Run())
}

// someWork is programs of every kind of layout, a sample of each kind of call
// and a probe.
func someWork(t *testing.T, shape string, most int) *replay.Work {
	p, s := small(t, shape, 8)
	w := &replay.Work{Rounds: 2, Probe: &replay.ProbeSpec{PerNode: s.PerNode, Inside: 1e8, Between: 1e8}}
	list := layouts(p)
	for i := 0; i < len(list); i += max(1, len(list)/most) {
		w.Programs = append(w.Programs, replay.Build(p, list[i].Layout, list[i].Framework).Program())
	}
	w.Samples = []replay.Sample{{Bytes: 4096, Groups: [][]int{{0, 1}, {2, 3}}}, {Bytes: 1 << 16, Groups: [][]int{{0, 1, 2, 3}}}}
	return w
}

// wants holds a result against its work: everything was measured.
func wants(t *testing.T, what string, w *replay.Work, r *replay.Result) {
	t.Helper()
	if len(r.Steps) != len(w.Programs) || len(r.Samples) != len(w.Samples) || len(r.Probes) == 0 {
		t.Fatalf("%s: %d steps, %d samples, %d probes", what, len(r.Steps), len(r.Samples), len(r.Probes))
	}
	for i, s := range r.Steps {
		if s.N != w.Rounds || s.Median <= 0 {
			t.Errorf("%s: program %d: %+v", what, i, s.Spread)
		}
		calls := 0
		for _, row := range s.Rows {
			calls += row.N
		}
		if calls == 0 && len(w.Programs[i].Calls) > 0 {
			t.Errorf("%s: program %d: no call was measured", what, i)
		}
	}
	for i, s := range r.Samples {
		if s.N != w.Rounds || s.Median <= 0 {
			t.Errorf("%s: sample %d: %+v", what, i, s)
		}
	}
}

// TestSpawned replays over processes, by every transport, over emulated links
// and the machine's own.
func TestSpawned(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	w := someWork(t, open, 8)
	shaped, err := transport.ParseShape("2x2:nvlink=200MB/s,ib=100MB/s,delay=100us")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kind  transport.Kind
		shape *transport.Shape
	}{{transport.Shm, nil}, {transport.Shm, shaped}, {transport.TCP, nil}, {transport.Mixed, shaped}, {transport.Unix, nil}} {
		name := fmt.Sprintf("%v %v", tt.kind, tt.shape)
		t.Run(name, func(t *testing.T) {
			b := &replay.Spawned{Spec: launch.Spec{Ranks: 4, Kind: tt.kind, Shape: tt.shape, Err: os.Stderr}}
			seen := 0
			r, err := b.Run(context.Background(), w, func(int, int) { seen++ })
			if err != nil {
				t.Fatal(err)
			}
			wants(t, name, w, r)
			if seen == 0 {
				t.Error("no round was announced")
			}
		})
	}
}

// TestJoined has the ranks of a job, as a launcher would start them, follow
// rank 0 through two works.
func TestJoined(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := someWork(t, open, 4)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for rank := range 4 {
		wg.Go(func() {
			c := launch.Config{Kind: transport.TCP, Patience: 20 * time.Second}
			if rank == 0 {
				c.Listener = l
			}
			b, err := replay.Join(context.Background(), launch.Place{Rank: rank, Size: 4, Address: l.Addr().String(), Source: "test"}, c)
			if errs[rank] = err; rank != 0 || err != nil {
				return
			}
			if p := b.Place(); p.Ranks != 4 || p.PerNode() != 4 {
				t.Errorf("place %+v", p)
			}
			for range 2 {
				r, err := b.Run(context.Background(), w, nil)
				if err != nil {
					errs[0] = err
					return
				}
				wants(t, "joined", w, r)
			}
			errs[0] = b.Close()
		})
	}
	wg.Wait()
	for r, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}
