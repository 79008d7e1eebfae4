package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/verify/gpu/script"
	"planner/verify/gpu/start"
	"planner/verify/replay"
)

// printJob writes the script of a job that verifies the plan's layouts on a
// cluster's GPUs.
func (o *verifyFlags) printJob(c *cobra.Command) error {
	kind, err := script.ParseKind(o.gpu.print)
	if err != nil {
		return catalog.Errorf("%v", err)
	}
	if o.gpu.nodes < 1 || o.gpu.nodes > 100_000 {
		return catalog.Errorf("--nodes %d: out of range: want 1 to 100,000", o.gpu.nodes)
	}
	name, cluster, err := clusterFor(o.Hardware)
	if err != nil {
		return err
	}
	o.Hardware = name
	backend, resource := "nccl", ""
	if cluster.GPU.Vendor == "amd" {
		backend, resource = "rccl", "amd.com/gpu"
	}
	if n := o.gpu.name; n != hostBackend && n != start.Auto && n != backend {
		return catalog.Errorf("--backend %s: not in a job on %s: want %s, whose ranks may be on many nodes", n, name, backend)
	}
	w := &start.Writer{Nodes: o.gpu.nodes, PerNode: cluster.PerNode}
	q, err := o.jobOf(c, w)
	if err != nil {
		return err
	}
	input, err := encodeJob(q, w)
	if err != nil {
		return err
	}
	text, err := script.Write(script.Options{Kind: kind, Nodes: o.gpu.nodes, PerNode: cluster.PerNode, Image: o.gpu.image, Input: input,
		Resource: resource, Args: []string{"replay", "--backend", backend, "--timeout", jobTimeout, "--work", script.InputName},
		Minutes: minutesFor(len(q.Layouts), o.Rounds)})
	if err != nil {
		return catalog.Errorf("--print %v", err)
	}
	if c.Context().Err() != nil {
		return errInterrupted
	}
	show.Note(c.ErrOrStderr(), "job", "%d layouts of %s on %d × %d GPUs", len(q.Layouts), q.Model, o.gpu.nodes, cluster.PerNode)
	show.Note(c.ErrOrStderr(), "then", "planner verify --from FILE    with the job's output")
	_, err = c.OutOrStdout().Write([]byte(text))
	return err
}

// jobTimeout bounds a wait for other ranks: communicators of many nodes take
// long to form.
const jobTimeout = "5m"

// minutesFor is a job's time limit: half a minute a layout, and as much again
// for every three rounds, with ten to begin.
func minutesFor(layouts, rounds int) int { return 10 + layouts*(3+rounds)/6 }

// jobOf fills in the question and has w take its work.
func (o *verifyFlags) jobOf(c *cobra.Command, w *start.Writer) (*gpuQuestion, error) {
	ranks := w.Nodes * w.PerNode
	o.Backend = w
	run, err := o.prepare(c, ranks)
	if c.Context().Err() != nil { // the layouts are those of half a search
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	if _, err := run.Measure(c.Context()); !w.Took(err) {
		return nil, errors.Join(err, fmt.Errorf("no work for %d GPUs", ranks))
	}
	q := &gpuQuestion{Hardware: o.Hardware, GPUs: run.GPUs, Model: o.Model, SeqLen: run.SeqLen, Batch: run.Batch, Framework: o.Framework,
		Rounds: o.Rounds, Seed: o.Seed, Ranks: ranks}
	for _, e := range run.Chosen {
		q.Layouts = append(q.Layouts, e.Layout.String())
	}
	return q, nil
}

// encodeJob writes what planner-gpu replay reads, compressed.
func encodeJob(q *gpuQuestion, w *start.Writer) ([]byte, error) {
	asked, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	for _, p := range w.Work.Programs {
		wholeNanoseconds(p)
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	err = errors.Join(json.NewEncoder(z).Encode(start.Job{Question: asked, Work: w.Work}), z.Close())
	return b.Bytes(), err
}

// wholeNanoseconds rounds a program's times, which is all that GPUs can keep
// to, so that they take fewer digits.
func wholeNanoseconds(p *replay.Program) {
	round := func(s *float64) { *s = math.Round(*s*1e9) / 1e9 }
	for _, stage := range p.Stages {
		for i := range stage {
			round(&stage[i].Seconds)
		}
	}
	for _, m := range p.Mixes {
		for _, part := range m.Parts {
			for i := range part.Kernels {
				round(&part.Kernels[i].Seconds)
			}
		}
	}
}

// clusterFor reads the cluster that a job is for.
func clusterFor(name string) (string, *hardware.Cluster, error) {
	if name == "" {
		name = ask.DefaultHardware
	}
	c, err := catalog.Cluster(name, 1<<16)
	return name, c, err
}
