package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"planner/costmodel/collective"
	"planner/verify/gpu/fakes"
	"planner/verify/gpu/start"
	"planner/verify/replay"
	"planner/verify/transport"
)

// twoByTwo is a step of TP 2, PP 2: a micro-batch forward and back with a sum
// over the ranks of a stage in each pass, hops, and a shift.
func twoByTwo() *replay.Program {
	p := &replay.Program{Inner: 2, Slots: 16}
	row := func(op collective.Op, bytes int64, stride, size int, axis collective.Axis) int32 {
		p.Calls = append(p.Calls, replay.CallSpec{Op: op, DType: collective.BF16, Axis: axis, Bytes: bytes, Stride: stride, Size: size})
		return int32(len(p.Calls) - 1)
	}
	sum := row(collective.AllReduce, 4096, 1, 2, collective.AxisTP)
	send, recv := row(collective.Send, 2048, 2, 2, collective.AxisPP), row(collective.Recv, 2048, 2, 2, collective.AxisPP)
	ring := row(collective.Send, 512, 1, 2, collective.AxisCP)
	all := row(collective.AllReduce, 256, 1, 4, collective.AxisDP)
	gather := row(collective.AllGather, 1024, 1, 2, collective.AxisDP)
	slot := int32(0)
	start := func(row, peer int32, dir uint8) replay.Action {
		a := replay.Action{Kind: replay.Start, Row: row, Slot: slot, Peer: peer, Dir: dir}
		slot++
		return a
	}
	wait := func(a replay.Action) replay.Action { return replay.Action{Kind: replay.Wait, Slot: a.Slot} }
	compute := replay.Action{Kind: replay.Delay, Seconds: 0.01}
	a, b, c, d, e, f := start(sum, -1, 0), start(send, 1, 0), start(recv, 1, 1), start(sum, -1, 0), start(ring, -1, 0), start(all, -1, 0)
	h := start(gather, -1, 0)
	p.Stages = append(p.Stages, []replay.Action{h, compute, wait(h), a, wait(a), compute, b, c, wait(c), compute, d, e, wait(d), wait(e), wait(b), f, wait(f), compute})
	slot = 0
	a, b, c, d, e, f = start(recv, 0, 0), start(sum, -1, 0), start(sum, -1, 0), start(ring, -1, 0), start(send, 0, 1), start(all, -1, 0)
	p.Stages = append(p.Stages, []replay.Action{a, wait(a), compute, b, wait(b), compute, c, d, wait(c), wait(d), e, wait(e), f, wait(f), compute})
	mix := replay.Mix{Parts: []replay.Part{{Times: 2, Kernels: []replay.Kernel{{Groups: 1, M: 5, N: 16, K: 24, Seconds: 0.004}, {Bytes: 4096, Seconds: 0.001},
		{Groups: 2, M: 8, N: 8, K: 8, Seconds: 0.002}, {Seconds: 0}}}}}
	p.Mixes = []replay.Mix{mix, mix}
	return p
}

func replayed(ranks int) ReplayOptions {
	o := ReplayOptions{Options: Default()}
	o.Ranks, o.Format = ranks, "json"
	o.Work = &replay.Work{Programs: []*replay.Program{twoByTwo(), twoByTwo()}, Rounds: 3, Probe: &replay.ProbeSpec{PerNode: ranks, Inside: 1e6}}
	o.Work.Samples = []replay.Sample{
		{Op: collective.AllReduce, DType: collective.FP32, Bytes: 4096, Groups: [][]int{{0, 2}, {1, 3}}},
		{Op: collective.Send, DType: collective.BF16, Bytes: 4096, Groups: [][]int{{3, 0}}},
	}
	return o
}

func checkReplayed(t *testing.T, d *start.Replayed) {
	t.Helper()
	r := d.Result
	if d.Place.Ranks != 4 || len(d.GPUs) != 4 || r.Rounds != 3 || len(r.Steps) != 2 || len(r.Samples) != 2 || len(r.Probes) != 1 {
		t.Fatalf("%+v, result %+v", d, r)
	}
	for _, s := range r.Steps {
		if s.N != 3 || s.Median <= 0 {
			t.Errorf("step %+v", s)
		}
		for row, n := range []int{2 * 2 * 3, 2 * 2 * 3, 2 * 2 * 3, 2 * 3, 3, 3} {
			// by row: the sums are made by two stages twice, by groups of all members
			if got := s.Rows[row].N; got == 0 || s.Rows[row].Median <= 0 {
				t.Errorf("row %d: %d calls: want some of about %d, with times", row, got, n)
			}
		}
	}
}

// TestReplayOwn replays by own kernels: four ranks on four, two and one GPU.
func TestReplayOwn(t *testing.T) {
	path, reset := fakes.Driver(t)
	for devices, seed := range map[int]int{4: 1, 2: 2, 1: 3} {
		reset(fakes.CUDA{Devices: devices, Seed: seed, NoPeers: devices == 2})
		o := replayed(4)
		o.Driver, o.BLAS = path, path
		var out, said bytes.Buffer
		if err := Replay(context.Background(), o, &out, &said); err != nil {
			t.Fatal(devices, err)
		}
		d, err := start.ReadReplayed(strings.NewReader("slurmstepd: noise\n0: " + out.String()))
		if err != nil {
			t.Fatal(err)
		}
		checkReplayed(t, d)
		if !strings.Contains(said.String(), "round 3 of 3") {
			t.Errorf("no rounds in %q", said.String())
		}
	}
}

// TestReplayNCCL replays with a rank a goroutine, by NCCL, and by RCCL with
// hipBLASLt on GPUs whose kernels there are none for.
func TestReplayNCCL(t *testing.T) {
	for _, b := range []Backend{NCCL, RCCL} {
		replayBy(t, b)
	}
}

func replayBy(t *testing.T, b Backend) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 4})
	o := replayed(4)
	o.Backend, o.Driver, o.BLAS, o.Library = b, path, path, path
	docs, errs := replayRanks(t, 4, &o)
	for r, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", r, err)
		}
	}
	text, err := json.Marshal(docs[0])
	if err != nil {
		t.Fatal(err)
	}
	d, err := start.ReadReplayed(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	checkReplayed(t, d)
}

func replayRanks(t *testing.T, n int, o *ReplayOptions) ([]*start.Replayed, []error) {
	l, err := transport.NewLocal(n, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, errs := make([]*start.Replayed, n), make([]error, n)
	var wg sync.WaitGroup
	for r := range n {
		wg.Go(func() { docs[r], errs[r] = o.rank(context.Background(), l.World(r), r, io.Discard) })
	}
	wg.Wait()
	return docs, errs
}
