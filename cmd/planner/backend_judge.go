package main

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/verdict"
	"planner/verify/gpu/start"
	"planner/verify/replay"
)

// judgeRun measures the layouts of a question on ranks of GPUs, and finishes as
// verify does; ran returns what they said of themselves.
func (o *verifyFlags) judgeRun(c *cobra.Command, ranks int, ran func() *start.Replayed) error {
	o.Progress = func(round, of int) { show.Note(c.ErrOrStderr(), "round", "%d of %d", round, of) }
	run, err := o.prepare(c, ranks)
	if err != nil {
		return err
	}
	show.Note(c.ErrOrStderr(), "layouts", "%d, on %d GPUs", len(run.Chosen), ranks)
	r, err := run.Measure(c.Context())
	if err != nil {
		return gpuFault(err)
	}
	if d := ran(); d != nil {
		for _, n := range d.Notes {
			show.Note(c.ErrOrStderr(), "note", "%s", n)
		}
	}
	measuredCompute(run, r)
	return o.finish(c, run, r)
}

// gpuFault makes what planner-gpu could not do an answer of no.
func gpuFault(err error) error {
	return &noError{err.Error()}
}

// measuredCompute says of a step on GPUs that its compute ran: all but the
// attention core, which products of its operations stand for.
func measuredCompute(run *verdict.Run, r *verdict.Report) {
	if run.Sampled {
		return
	}
	r.Shares = verdict.Shares{}
	for i := range r.Layouts {
		l, e := &r.Layouts[i], &run.Chosen[i]
		plan := replay.Build(run.Problem, e.Layout, e.Framework)
		l.Compute *= coreShare(&plan.Mixes[e.Slowest])
		scaled := min(1, l.Compute/l.Measured)
		l.Shares = &verdict.Shares{Measured: 1 - scaled, Scaled: scaled}
		r.Shares.Measured += l.Shares.Measured / float64(len(r.Layouts))
		r.Shares.Scaled += scaled / float64(len(r.Layouts))
	}
	r.Judge()
}

// coreShare returns the part of a mix's time that attention cores take.
func coreShare(m *replay.Mix) float64 {
	core, all := 0.0, 0.0
	for _, part := range m.Parts {
		for _, k := range part.Kernels {
			all += float64(part.Times) * k.Seconds
			if k.Core {
				core += float64(part.Times) * k.Seconds
			}
		}
	}
	if all == 0 {
		return 1
	}
	return core / all
}

// gpuQuestion is what a job's result needs to be judged.
type gpuQuestion struct {
	Hardware  string   `json:"hardware"`
	GPUs      int      `json:"gpus"`
	Model     string   `json:"model"`
	SeqLen    int      `json:"seq_len"`
	Batch     int      `json:"global_batch"`
	Framework string   `json:"framework"`
	Layouts   []string `json:"layouts"`
	Rounds    int      `json:"rounds"`
	Seed      uint64   `json:"seed"`
	Ranks     int      `json:"ranks"`
}

// fromGPUs reads the output of a job, nil if it is none.
func fromGPUs(file string) *start.Replayed {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte(`"question":{`)) {
		return nil
	}
	d, err := start.ReadReplayed(bytes.NewReader(text))
	if err != nil || len(d.Question) == 0 {
		return nil
	}
	return d
}

// judgeJob judges what a job measured.
func (o *verifyFlags) judgeJob(c *cobra.Command, d *start.Replayed) error {
	var q gpuQuestion
	if err := json.Unmarshal(d.Question, &q); err != nil {
		return catalog.JSONFault(o.from, "the output of a job of planner verify --print", d.Question, err)
	}
	o.Hardware, o.GPUs, o.Model, o.SeqLen, o.Batch, o.Framework = q.Hardware, q.GPUs, q.Model, q.SeqLen, q.Batch, q.Framework
	o.Layouts, o.Rounds, o.Seed, o.Backend = q.Layouts, q.Rounds, q.Seed, start.Recorded{Replayed: d}
	return o.judgeRun(c, q.Ranks, func() *start.Replayed { return d })
}
