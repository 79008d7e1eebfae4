package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"planner/verify/launch"
	"planner/verify/transport"
)

// Processes is a back end whose ranks are processes; this one is rank 0.
type Processes struct {
	job  *launch.Job
	rank *process
	what string
}

// process is one rank that is a process.
type process struct {
	seat     *seat
	control  *control
	realTime bool
	procs    int
}

func newProcess(w transport.World) (*process, error) {
	p := &process{procs: runtime.GOMAXPROCS(0), realTime: prioritize()}
	runtime.GOMAXPROCS(max(p.procs, procsPerRank))
	var err, err2 error
	if p.control, err = newControl(w); err != nil {
		return p, err
	}
	p.seat, err2 = newSeat(w, wireMeetings{})
	return p, err2
}

func (p *process) close() error {
	defer runtime.GOMAXPROCS(p.procs)
	if p.realTime {
		relax()
	}
	if p.seat.world.Abort().Err() != nil {
		return nil // the job has ended, and its memory with it
	}
	return errors.Join(p.seat.close(), p.control.port.Close())
}

// answer is a reply, or why there is none.
type answer struct {
	Reply reply
	Fault string
}

// one carries out one command, which rank 0 passes.
func (p *process) one(c *command) (*command, []*answer, error) {
	c, err := tell(p.control, c)
	if err != nil || c.Kind == cmdEnd {
		return c, nil, err
	}
	if err := p.control.together(); err != nil {
		return c, nil, err
	}
	a := &answer{}
	r, err := p.seat.do(c, time.Now().Add(head))
	if err != nil {
		a.Fault = err.Error()
	} else {
		a.Reply = *r
	}
	if err := p.seat.world.Abort().Err(); err != nil {
		return c, nil, err
	}
	all, err := collect(p.control, a)
	return c, all, err
}

// Join meets the other ranks of a job that a launcher started. Rank 0 gets the
// back end; the others carry out what it says and get nil when it is closed.
func Join(ctx context.Context, p launch.Place, c launch.Config) (*Processes, error) {
	j, err := launch.Join(ctx, p, c)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() {
		_ = j.World.Abort().Suspect(&transport.Failure{Rank: p.Rank, Peer: -1, Cause: "interrupted"})
	})()
	rank, err := newProcess(j.World)
	if err != nil {
		return nil, leave(j, err)
	}
	if p.Rank == 0 {
		return &Processes{j, rank, fmt.Sprintf("processes, %v, by %s", c.Kind, p.Source)}, nil
	}
	return nil, leave(j, rank.follow())
}

// follow carries out what rank 0 says until it lets the rank go.
func (p *process) follow() error {
	for {
		c, _, err := p.one(nil)
		if err != nil {
			return err
		}
		if c.Kind == cmdEnd {
			return p.close()
		}
	}
}

// fail fails the job with err, unless that is nil or the job's own failure.
func fail(w transport.World, err error) {
	if err != nil && w.Abort().Err() == nil {
		_ = w.Abort().Fail(&transport.Failure{Rank: w.Rank(), Peer: -1, Cause: err.Error()})
	}
}

// leave fails the job with err, unless that is nil, and leaves it.
func leave(j *launch.Job, err error) error {
	fail(j.World, err)
	if e := j.Close(); err == nil {
		err = e
	}
	return err
}

// Place returns where the ranks run.
func (p *Processes) Place() Place {
	out := Place{Ranks: p.size(), What: p.what}
	for r := range out.Ranks {
		out.Nodes = append(out.Nodes, p.job.World.Node(r))
	}
	return out
}

// Run carries out a work.
func (p *Processes) Run(ctx context.Context, w *Work, progress func(round, of int)) (*Result, error) {
	defer context.AfterFunc(ctx, func() {
		_ = p.job.World.Abort().Suspect(&transport.Failure{Rank: 0, Peer: -1, Cause: "interrupted"})
	})()
	r, err := drive(ctx, p, w, progress)
	if err == nil {
		r.RealTime = p.rank.realTime
	}
	return r, err
}

func (p *Processes) size() int { return p.job.World.Size() }

func (p *Processes) emulated() bool { return p.job.World.Emulated() }

func (p *Processes) do(ctx context.Context, c *command) ([]*reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, all, err := p.rank.one(c)
	if err != nil {
		return nil, err
	}
	var out []*reply
	for r, a := range all {
		if a.Fault != "" {
			return nil, fmt.Errorf("rank %d: %s", r, a.Fault)
		}
		out = append(out, &a.Reply)
	}
	return out, nil
}

// Close tells the ranks to go.
func (p *Processes) Close() error {
	_, _, err := p.rank.one(&command{Kind: cmdEnd})
	if err == nil {
		err = p.rank.close()
	}
	return leave(p.job, err)
}

// Fail ends the job on all ranks, with what rank 0 could not do.
func (p *Processes) Fail(cause error) error { return leave(p.job, cause) }
