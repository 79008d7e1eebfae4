package step

import (
	"errors"
	"fmt"
	"time"

	"planner/costmodel/collective"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
	"planner/verify/replay"
)

// Sentinel makes a fixed call of all ranks.
func (r *ownRank) Sentinel() error {
	all := make([]int, len(r.ordinals))
	for i := range all {
		all[i] = i
	}
	return r.alone(key{kind: collectively, stride: 1, size: len(all), axis: collective.NumAxes}, all, sentinelBytes,
		ownCall{op: collective.AllReduce, t: reduce.F32, count: sentinelBytes / 4}, 4, nil)
}

// alone makes a call some times beside nothing else.
func (r *ownRank) alone(k key, members []int, bytes int, c ownCall, times int, took *time.Duration) (err error) {
	x, place, err := r.group(k, members, r.rank, bytes)
	if err != nil {
		return err
	}
	lane := x.lanes[place]
	var marks [][2]cuda.Mark
	defer func() {
		for _, m := range marks {
			err = errors.Join(err, lane.FreeMark(m[0]), lane.FreeMark(m[1]))
		}
	}()
	var last *Ticket
	for i := range times {
		m, err := twoMarks(lane)
		if err != nil {
			return err
		}
		marks = append(marks, m)
		if i == 0 {
			if err := lane.Record(m[1]); err != nil {
				return err
			}
		}
		if last, err = r.come(k, members, bytes, c, marks[0][1], m); err != nil {
			return err
		}
	}
	<-last.Queued
	if err := errors.Join(last.Err, idle(lane, r.timeout)); err != nil || took == nil {
		return err
	}
	seconds, err := lane.Between(marks[0][0], last.End)
	*took = time.Duration(seconds * 1e9)
	return err
}

func idle(l Lane, timeout time.Duration) error {
	for end := time.Now().Add(timeout); ; {
		done, err := l.Idle()
		if done || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("GPU: not done after %v", timeout)
		}
	}
}

// Exchange sends bursts between pairs.
func (r *ownRank) Exchange(c *replay.Command) (took time.Duration, err error) {
	for _, p := range c.Pairs {
		if p[0] == r.rank || p[1] == r.rank {
			k := key{kind: hopping, inner: 1, sample: p[1]}
			err = r.alone(k, p[:], c.Bytes, ownCall{op: collective.Send, t: reduce.F32, count: max(1, c.Bytes/4)}, c.Turns, &took)
		}
	}
	return took, err
}

// Watch finds nothing: what goes wrong ends in an error of a stream.
func (r *ownRank) Watch() error { return nil }

// Close closes the groups, with the last rank.
func (r *ownRank) Close() error {
	o := r.Own
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, m := range r.marks {
		errs = append(errs, r.home.FreeMark(m[0]), r.home.FreeMark(m[1]))
	}
	r.marks = nil
	for k, x := range o.groups {
		errs = append(errs, x.close())
		delete(o.groups, k)
	}
	return errors.Join(errs...)
}
