package nccl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
)

// TestBlocking: communicators whose calls return when they are enqueued form,
// split and sum like the others.
func TestBlocking(t *testing.T) {
	d, l, _ := fake(t, 4)
	l.Blocking = true
	err := job(d, l, 4, 10*time.Second, func(c *Comm, s *cuda.Seat) error {
		sub, err := c.Split(c.Rank%2, c.Rank)
		if err != nil {
			return err
		}
		p, err := s.Alloc(64)
		if err != nil {
			return err
		}
		one := []byte{0, 0, 0x80, 0x3f}
		if err := s.Write(p, one); err != nil {
			return err
		}
		for _, x := range []*Comm{sub, c} { // 2, then 8
			if err := x.Do(Call{Op: collective.AllReduce, Type: reduce.F32, Count: 1, In: p, Out: p}); err != nil {
				return err
			}
			if err := x.Wait(); err != nil {
				return err
			}
		}
		out := make([]byte, 4)
		if err := s.Read(out, p); err != nil {
			return err
		}
		if want := []byte{0, 0, 0, 0x41}; string(out) != string(want) {
			return fmt.Errorf("%x: want %x, which is 8", out, want)
		}
		return sub.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBlockingDeadlines: a rank that does not come, and one that does not
// split, end in the deadline.
func TestBlockingDeadlines(t *testing.T) {
	d, l, _ := fake(t, 2)
	l.Blocking = true
	id, err := l.NewID()
	if err != nil {
		t.Fatal(err)
	}
	g, err := cuda.NewGroup(d, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Init(id, 2, 0, g.Seat(0), 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), "rank 0 of 2: ncclCommInitRankConfig: not done after 50ms") {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	err = job(d, l, 2, time.Minute, func(c *Comm, _ *cuda.Seat) error {
		if c.Rank == 0 {
			c.Timeout = 200 * time.Millisecond
			_, err := c.Split(0, 0)
			return err
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "rank 0 of 2: ncclCommSplit: not done after 200ms") {
		t.Error(err)
	}
}
