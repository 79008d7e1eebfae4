package start

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"planner/verify/replay"
)

// Job is what planner-gpu replay is given.
type Job struct {
	// Question is what planner verify asked; it comes back with the result.
	Question json.RawMessage `json:"question,omitempty"`
	Work     *replay.Work    `json:"work"`
}

// Replayed is what planner-gpu replay prints.
type Replayed struct {
	Question json.RawMessage `json:"question,omitempty"`

	Backend string         `json:"backend"`
	Library string         `json:"library"`
	GPUs    []string       `json:"gpus"` // by rank
	Place   replay.Place   `json:"place"`
	Result  *replay.Result `json:"result"`
	Notes   []string       `json:"notes"`
}

// Round begins the lines by which planner-gpu tells of rounds.
const Round = "round"

// GPUs is a replay back end: planner-gpu with ranks on this machine's GPUs.
type GPUs struct {
	Path    string   // of planner-gpu
	Backend string   // cuda, nccl or rccl
	Ranks   int      // GPUs of the plan
	Args    []string // more arguments of planner-gpu replay
	Nodes   []int    // node of each rank; none: all on this machine
	Notes   io.Writer
	Last    *Replayed // of the last Run, with what it ran on
}

// Place returns the ranks.
func (g *GPUs) Place() replay.Place {
	if len(g.Nodes) > 0 {
		return replay.Place{Ranks: g.Ranks, Nodes: g.Nodes, What: "GPUs, by " + g.Backend}
	}
	return replay.Place{Ranks: g.Ranks, Nodes: make([]int, g.Ranks), What: "GPUs of this machine, by " + g.Backend}
}

// Run carries out a work, but for probes: NCCL's messages between pairs go
// other ways than its collectives.
func (g *GPUs) Run(ctx context.Context, w *replay.Work, progress func(round, of int)) (*replay.Result, error) {
	w = withoutProbes(w)
	in, err := json.Marshal(Job{Work: w})
	if err != nil {
		return nil, err
	}
	args := append([]string{"replay", "--backend", g.Backend, "--ranks", fmt.Sprint(g.Ranks), "--work", "-"}, g.Args...)
	c := exec.CommandContext(ctx, g.Path, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var out bytes.Buffer
	c.Stdin, c.Stdout = bytes.NewReader(in), &out
	told, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("%s: cannot be started: %w", g.Path, err)
	}
	said := g.listen(told, progress)
	ran := c.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if ran != nil {
		return nil, reason(ran, said)
	}
	d, err := ReadReplayed(&out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Path, err)
	}
	if len(d.Result.Steps) != len(w.Programs) {
		return nil, fmt.Errorf("%s: %d steps for %d layouts", g.Path, len(d.Result.Steps), len(w.Programs))
	}
	g.Last = d
	return d.Result, nil
}

func withoutProbes(w *replay.Work) *replay.Work {
	own := *w
	own.Probe = nil
	return &own
}

// listen passes rounds to progress and the rest to Notes, and returns the
// latter.
func (g *GPUs) listen(r io.Reader, progress func(round, of int)) string {
	var said strings.Builder
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var round, of int
		if n, _ := fmt.Sscanf(lines.Text(), Round+" %d of %d", &round, &of); n == 2 {
			if progress != nil {
				progress(round, of)
			}
			continue
		}
		fmt.Fprintln(&said, lines.Text())
		if g.Notes != nil {
			fmt.Fprintln(g.Notes, lines.Text())
		}
	}
	return said.String()
}

// Close does nothing: planner-gpu ends with each Run.
func (g *GPUs) Close() error { return nil }

// ReadReplayed decodes what planner-gpu replay printed, here or in a job. What
// launchers print around the line is passed over.
func ReadReplayed(r io.Reader) (*Replayed, error) {
	lines := bufio.NewScanner(io.LimitReader(r, 1<<30))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		text := lines.Bytes()
		if i := bytes.IndexByte(text, '{'); i >= 0 && bytes.Contains(text, []byte(`"result"`)) {
			d := &Replayed{}
			if err := json.Unmarshal(text[i:], d); err != nil {
				return nil, fmt.Errorf("not a measurement of planner-gpu: %w", err)
			}
			if d.Result == nil {
				return nil, errors.New("a measurement of planner-gpu without a result")
			}
			return d, nil
		}
	}
	return nil, errors.New("no measurement of planner-gpu: want a line that it printed")
}

// errWritten ends a question whose work has been taken.
var errWritten = errors.New("the work is to be run elsewhere")

// Writer is a back end that runs nothing: it keeps the work for a job of ranks
// elsewhere.
type Writer struct {
	Nodes, PerNode int
	Work           *replay.Work
}

// Place returns the ranks that the job will have.
func (w *Writer) Place() replay.Place { return placeOf(w.Nodes, w.PerNode, "GPUs of a job") }

func placeOf(nodes, per int, what string) replay.Place {
	p := replay.Place{Ranks: nodes * per, What: what}
	for r := range p.Ranks {
		p.Nodes = append(p.Nodes, r/per)
	}
	return p
}

// Run keeps the work and fails; see [Writer.Took].
func (w *Writer) Run(_ context.Context, work *replay.Work, _ func(round, of int)) (*replay.Result, error) {
	w.Work = withoutProbes(work)
	return nil, errWritten
}

// Took reports whether err only says that the work has been kept.
func (w *Writer) Took(err error) bool { return w.Work != nil && errors.Is(err, errWritten) }

// Close does nothing.
func (w *Writer) Close() error { return nil }

// Recorded is a back end that has run already.
type Recorded struct{ *Replayed }

// Place returns where the ranks were.
func (r Recorded) Place() replay.Place { return r.Replayed.Place }

// Run returns the result, if the work is of as many layouts and calls.
func (r Recorded) Run(_ context.Context, w *replay.Work, _ func(round, of int)) (*replay.Result, error) {
	if len(r.Result.Steps) != len(w.Programs) || len(r.Result.Samples) != len(w.Samples) {
		return nil, fmt.Errorf("%d layouts and %d calls were measured: the plan now has %d and %d: want the planner that wrote the job",
			len(r.Result.Steps), len(r.Result.Samples), len(w.Programs), len(w.Samples))
	}
	for i, s := range r.Result.Steps {
		if len(s.Rows) != len(w.Programs[i].Calls) {
			return nil, fmt.Errorf("layout %d has %d calls, was measured with %d: want the planner that wrote the job", i, len(w.Programs[i].Calls), len(s.Rows))
		}
	}
	return r.Result, nil
}

// Close does nothing.
func (r Recorded) Close() error { return nil }
