package replay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// spiky is ranks whose every other step takes a fifth longer.
type spiky struct {
	shaped bool
	steps  int
}

func (s *spiky) size() int      { return 1 }
func (s *spiky) emulated() bool { return s.shaped }

func (s *spiky) do(_ context.Context, c *command) ([]*reply, error) {
	if c.Kind != cmdStep {
		return []*reply{{}}, nil
	}
	s.steps++
	return []*reply{{End: time.Duration(10+2*(s.steps%2)) * time.Second}}, nil
}

// TestSlowSteps: where every other step is slow, the slow ones are taken again on
// emulated links, and count on real ones.
func TestSlowSteps(t *testing.T) {
	for _, c := range []struct {
		shaped   bool
		repeated int
		slow     int // of the steps that count
	}{{true, 6, 0}, {false, 0, 3}} {
		synctest.Test(t, func(t *testing.T) {
			got, err := drive(context.Background(), &spiky{shaped: c.shaped}, &Work{Programs: []*Program{{}}, Rounds: 6}, nil)
			if err != nil {
				t.Fatal(err)
			}
			slow := 0
			for _, x := range got.Steps[0].Times {
				if x > 11 {
					slow++
				}
			}
			if got.Repeated != c.repeated || slow != c.slow {
				t.Errorf("emulated %v: %d steps repeated, %d slow ones count: want %d and %d", c.shaped, got.Repeated, slow, c.repeated, c.slow)
			}
		})
	}
}

// slow is ranks to whom every sample takes a second.
type slow struct{ spiky }

func (s *slow) do(ctx context.Context, c *command) ([]*reply, error) {
	if c.Kind == cmdSample {
		time.Sleep(time.Second)
	}
	return s.spiky.do(ctx, c)
}

// TestSampleRounds: rounds of samples end with the budget, three apart, and the
// result says how many there were. One more, before them, does not count.
func TestSampleRounds(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		want   int
	}{{0, 5}, {time.Minute, 5}, {time.Nanosecond, 3}, {4500 * time.Millisecond, 4}} {
		synctest.Test(t, func(t *testing.T) {
			got, err := drive(context.Background(), &slow{}, &Work{Samples: make([]Sample, 1), Rounds: 5, Budget: c.budget}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.SampleRounds != c.want || got.Samples[0].N != c.want {
				t.Errorf("budget %v: %d rounds said, %d times: want %d", c.budget, got.SampleRounds, got.Samples[0].N, c.want)
			}
		})
	}
}
