package replay

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"planner/verify/launch"
)

// spawnName is what rank processes are started for.
const spawnName = "replay"

func init() { launch.Register(spawnName, spawned) }

// Spawned is a back end that starts processes of this machine for each work.
type Spawned struct {
	// Spec says how many ranks, over which transport, in what shape.
	Spec launch.Spec
}

// Place returns where the ranks will be.
func (s *Spawned) Place() Place {
	p := Place{Ranks: s.Spec.Ranks, Nodes: make([]int, s.Spec.Ranks), What: fmt.Sprintf("processes of this machine, %v", s.Spec.Kind)}
	for r := range p.Nodes {
		if s.Spec.Shape != nil {
			p.Nodes[r] = r / s.Spec.Shape.PerNode
		}
	}
	return p
}

// Close has nothing to let go.
func (s *Spawned) Close() error { return nil }

// files are where rank 0 finds its work, and leaves the result.
type files struct{ Work, Result string }

// Run starts the ranks, which read their work and leave when it is done.
func (s *Spawned) Run(ctx context.Context, w *Work, progress func(round, of int)) (*Result, error) {
	dir, err := os.MkdirTemp("", "planner-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f := files{filepath.Join(dir, "work"), filepath.Join(dir, "result")}
	if err := put(f.Work, w); err != nil {
		return nil, err
	}
	spec := s.Spec
	spec.Work, spec.Args, spec.Out = spawnName, f, &rounds{tell: progress}
	if err := launch.Run(ctx, spec); err != nil {
		return nil, err
	}
	return get[Result](f.Result)
}

func put[T any](file string, x *T) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(x); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

func get[T any](file string) (*T, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	x := new(T)
	return x, gob.NewDecoder(bytes.NewReader(text)).Decode(x)
}

// rounds reads the lines in which rank 0 says how far it is.
type rounds struct {
	tell func(round, of int)
	rest []byte
}

func (r *rounds) Write(b []byte) (int, error) {
	r.rest = append(r.rest, b...)
	for {
		line, rest, ok := bytes.Cut(r.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		r.rest = rest
		var round, of int
		if _, err := fmt.Sscanf(string(line), "%d %d", &round, &of); err == nil && r.tell != nil {
			r.tell(round, of)
		}
	}
}

// spawned is what each process does.
func spawned(ctx context.Context, j *launch.Job, args []byte) error {
	rank, err := newProcess(j.World)
	if err != nil || j.Rank != 0 {
		if err == nil {
			err = rank.follow()
		}
		return err
	}
	var f files
	if err := json.Unmarshal(args, &f); err != nil {
		return err
	}
	w, err := get[Work](f.Work)
	if err != nil {
		return err
	}
	p := &Processes{job: j, rank: rank}
	r, err := drive(ctx, p, w, func(round, of int) { fmt.Println(round, of) })
	if err != nil {
		return err
	}
	r.RealTime = rank.realTime
	_, _, err = rank.one(&command{Kind: cmdEnd})
	return errors.Join(err, rank.close(), put(f.Result, r))
}
