package step

import (
	"fmt"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/verify/replay"
)

// counter counts what is computed.
type counter struct {
	ran   map[int]int
	moved int64
}

func (c *counter) Prepare(replay.Mix) error { return nil }
func (c *counter) Close() error             { return nil }
func (c *counter) Move(n int64) error       { c.moved += n; return nil }
func (c *counter) Run(k *replay.Kernel) error {
	c.ran[k.N]++
	return nil
}

// TestDelaysRunTheMix: however a step's compute is cut into delays, every
// kernel of the mix runs as often as there are passes, to within one, and the
// last delay's optimizer is traffic at the plan's rate.
func TestDelaysRunTheMix(t *testing.T) {
	mix := replay.Mix{Once: 0.5, Parts: []replay.Part{{Times: 1, Kernels: []replay.Kernel{{M: 8, N: 1, K: 8, Seconds: 0.01}, {M: 8, N: 2, K: 8, Seconds: 0.03},
		{Bytes: 1 << 20, Seconds: 0.02}, {M: 8, N: 3, K: 8}}}}}
	for _, pieces := range []int{1, 3, 7, 100} {
		c := &counter{ran: map[int]int{}}
		r := &Rank{maths: c}
		x := r.running(&replay.Program{Mixes: []replay.Mix{mix}}, 0)
		const passes = 10
		for i := range pieces {
			seconds := passes * 0.06 / float64(pieces)
			if i == pieces-1 {
				seconds += 0.5
			}
			if err := x.delay(seconds, i == pieces-1); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 4 {
			if got := c.ran[n]; got < passes-1 || got > passes+1 {
				t.Errorf("%d pieces: kernel %d ran %d times: want %d", pieces, n, got, passes)
			}
		}
		if want := int64(0.5 / 0.02 * (1 << 20)); c.moved != want {
			t.Errorf("%d pieces: optimizer moved %d bytes: want %d", pieces, c.moved, want)
		}
	}
}

// TestPairs: on every ring of pipeline ranks each message has a color on which
// its sender and receiver do nothing else, and both find the same pair.
func TestPairs(t *testing.T) {
	for n := 2; n <= 9; n++ {
		for dir := range uint8(2) {
			found := 0
			for color := range 3 {
				k := key{kind: hopping, inner: 2, stages: n, dir: dir, color: color}
				in := map[int]string{}
				for r := range 2 * n {
					p := k.pair(r)
					if p == nil {
						continue
					}
					name := fmt.Sprint(p)
					for _, m := range p {
						if in[m] != "" && in[m] != name {
							t.Fatalf("%d stages, dir %d, color %d: rank %d is in %s and %s", n, dir, color, m, in[m], name)
						}
						in[m] = name
					}
					if p[0] == r {
						found++
					}
				}
			}
			if found != 2*n {
				t.Errorf("%d stages, dir %d: %d messages: want %d", n, dir, found, 2*n)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	good := func() *replay.Work {
		return &replay.Work{Programs: []*replay.Program{{Inner: 1, Slots: 1, Calls: []replay.CallSpec{{Size: 1, Stride: 1}},
			Stages: [][]replay.Action{{{Kind: replay.Start, Peer: -1}, {Kind: replay.Wait}}}}}}
	}
	if err := Check(good()); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*replay.Work){
		"0 ranks a stage":   func(w *replay.Work) { w.Programs[0].Inner = 0 },
		"not a call":        func(w *replay.Work) { w.Programs[0].Calls[0].Size = 0 },
		"not an action":     func(w *replay.Work) { w.Programs[0].Stages[0][1].Slot = 7 },
		"stage 0, action 0": func(w *replay.Work) { w.Programs[0].Stages[0][0].Row = 1 },
		"sample 0: op":      func(w *replay.Work) { w.Samples = []replay.Sample{{Op: collective.AllReduce}} },
	} {
		w := good()
		spoil(w)
		if err := Check(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}
