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

// Replayed is what planner-gpu replay prints.
type Replayed struct {
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
	Notes   io.Writer
	Last    *Replayed // of the last Run, with what it ran on
}

// Place returns the ranks, all on this machine.
func (g *GPUs) Place() replay.Place {
	return replay.Place{Ranks: g.Ranks, Nodes: make([]int, g.Ranks), What: "GPUs of this machine, by " + g.Backend}
}

// Run carries out a work.
func (g *GPUs) Run(ctx context.Context, w *replay.Work, progress func(round, of int)) (*replay.Result, error) {
	in, err := json.Marshal(w)
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
