package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"planner/internal/show"
	"planner/internal/tui/knob"
	"planner/internal/tui/scan"
	"planner/internal/tui/state"
	"planner/strategies"
)

// worker carries out effects beside the screen; what comes of them arrives as
// events on its channel.
type worker struct {
	Options
	ctx    context.Context
	close  context.CancelFunc
	cancel context.CancelFunc // of the search that runs
	search context.Context
	halt   context.CancelFunc // of the picture of other numbers of GPUs
	events chan state.Event
}

func newWorker(o Options) *worker {
	w := &worker{Options: o, events: make(chan state.Event, 16)}
	w.ctx, w.close = context.WithCancel(context.Background())
	w.search, w.cancel = context.WithCancel(w.ctx)
	w.halt = func() {}
	return w
}

// listen waits for the next event.
func (w *worker) listen() tea.Msg {
	select {
	case e := <-w.events:
		return heard{e}
	case <-w.ctx.Done():
		return nil
	}
}

// tell hands over an event unless what it is about was cancelled.
func (w *worker) tell(ctx context.Context, e state.Event) {
	select {
	case w.events <- e:
	case <-ctx.Done():
	}
}

// carryOut starts an effect. It does not wait for searches.
func (w *worker) carryOut(e state.Effect) tea.Cmd {
	switch e := e.(type) {
	case state.Quit:
		w.close()
		return tea.Quit
	case state.Cancel:
		w.cancel()
		w.halt()
	case state.Search:
		w.cancel()
		w.search, w.cancel = context.WithCancel(w.ctx)
		go w.run(w.search, e)
	case state.Scale:
		w.halt()
		ctx, halt := context.WithCancel(w.ctx)
		w.halt = halt
		go w.scale(ctx, e)
	case state.Copy:
		return func() tea.Msg { return tellOf(copied(w, e.Text)) }
	case state.Save:
		return func() tea.Msg { return tellOf(saved(e)) }
	case state.Run:
		return func() tea.Msg {
			return told{state.Ran{Command: "planner " + strings.Join(e.Args, " "), Output: w.Run(w.ctx, e.Args)}}
		}
	}
	return nil
}

// run searches and tells what is known after each part.
func (w *worker) run(ctx context.Context, e state.Search) {
	var last scan.Found
	e.Job.Run(ctx, func(f scan.Found) {
		last = f
		w.tell(ctx, state.News{Gen: e.Gen, Found: f, Done: f.Part == f.Parts})
	})
	if ctx.Err() == nil && last.Part < last.Parts {
		w.tell(ctx, state.News{Gen: e.Gen, Found: last, Done: true})
	}
}

// scale searches each number of GPUs, and solves the layout there as it is.
func (w *worker) scale(ctx context.Context, e state.Scale) {
	for _, n := range e.GPUs {
		plan := e.Plan
		plan.Question.GPUs = n
		same := knob.Solve(plan, nil)
		p := state.ScalePoint{GPUs: n, Note: same.Broken}
		if same.Answer != nil {
			problem := same.Answer.Problem
			r := strategies.Search(ctx, problem, strategies.Space{}, strategies.Options{Top: 1})
			if ctx.Err() != nil {
				return
			}
			if len(r.Ranking) > 0 {
				p.Best = &r.Ranking[0]
				rates := problem.Rates(p.Best)
				p.BestMFU, p.Tokens = rates.MFU, rates.TokensPerSecondPerGPU*float64(n)
			}
			if same.Legal() {
				p.Same, p.SameMFU = &same.Estimate, problem.Rates(&same.Estimate).MFU
			}
		}
		w.tell(ctx, state.Scaled{Gen: e.Gen, Point: p})
	}
}

// told is an event that a command returned, rather than the channel.
type told struct{ state.Event }

func tellOf(text string) tea.Msg { return told{state.Told(text)} }

// copied puts a text on the terminal's clipboard.
func copied(w *worker, text string) string {
	if w.Clipboard == nil {
		return "copy: no terminal to copy to"
	}
	seq := osc52.New(text)
	switch {
	case os.Getenv("TMUX") != "":
		seq = seq.Tmux()
	case os.Getenv("STY") != "":
		seq = seq.Screen()
	}
	if _, err := seq.WriteTo(w.Clipboard); err != nil {
		return "copy: " + err.Error()
	}
	return "copied: " + text
}

// saved writes the JSON of `planner explain` to a file that does not exist.
func saved(e state.Save) string {
	f, err := os.OpenFile(e.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Sprintf("save %q: exists: give another name", e.Path)
	}
	if err != nil {
		return fmt.Sprintf("save %q: %s", e.Path, err)
	}
	x := e.Point.Answer.Explain(e.Point.Layout, e.Point.Framework)
	err = errors.Join(show.JSON(f, show.NewExplanation(e.Point.Answer, x)), f.Close())
	if err != nil {
		return fmt.Sprintf("save %q: %s", e.Path, err)
	}
	return "saved " + e.Path
}
