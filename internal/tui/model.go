// Package tui draws the state of `planner explore` on a terminal and carries
// out its effects. It alone knows bubbletea and lipgloss; what the screens
// mean is package state.
package tui

import (
	"context"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"planner/internal/tui/state"
)

// Runner runs planner with arguments and returns what it prints.
type Runner func(ctx context.Context, args []string) string

// Options are what a session needs of the world.
type Options struct {
	Clipboard io.Writer // where OSC 52 goes: the terminal
	Run       Runner
	Width     int // before the terminal tells its size; 0: 80
	Height    int // 0: 24
}

// Model is the session as bubbletea drives it.
type Model struct {
	state state.State
	first []state.Effect
	work  *worker
	theme theme
}

// New returns a session; its search starts with Init.
func New(c state.Config, o Options) *Model {
	if o.Width == 0 || o.Height == 0 {
		o.Width, o.Height = 80, 24
	}
	s, effects := state.New(c, o.Width, o.Height)
	return &Model{state: s, first: effects, work: newWorker(o), theme: newTheme()}
}

// Close ends whatever runs in the background.
func (m *Model) Close() { m.work.close() }

// Init starts the first search.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.work.listen}
	for _, e := range m.first {
		cmds = append(cmds, m.work.carryOut(e))
	}
	return tea.Batch(cmds...)
}

// Update hands an event to the state and its effects to the worker.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmds []tea.Cmd
	if _, ok := msg.(heard); ok {
		cmds = append(cmds, m.work.listen)
	}
	for _, e := range eventsOf(msg) {
		next, effects := m.state.Update(e)
		m.state = next
		for _, f := range effects {
			cmds = append(cmds, m.work.carryOut(f))
		}
	}
	return m, tea.Batch(cmds...)
}

// View draws the state.
func (m *Model) View() string {
	if m.state.Quit {
		return ""
	}
	d := drawing{s: &m.state, t: &m.theme}
	return d.screen()
}

// heard is an event that came from the worker.
type heard struct{ state.Event }

// eventsOf translates a message. Keys that arrive together, as over a slow
// line, come one by one.
func eventsOf(msg tea.Msg) []state.Event {
	switch msg := msg.(type) {
	case heard:
		return []state.Event{msg.Event}
	case told:
		return []state.Event{msg.Event}
	case tea.WindowSizeMsg:
		return []state.Event{state.Resize{W: msg.Width, H: msg.Height}}
	case tea.MouseMsg:
		return mouse(msg)
	case tea.KeyMsg:
		if msg.Type != tea.KeyRunes || msg.Alt {
			return []state.Event{state.Key(msg.String())}
		}
		var out []state.Event
		for _, r := range msg.Runes {
			out = append(out, state.Key(string(r)))
		}
		return out
	}
	return nil
}

func mouse(msg tea.MouseMsg) []state.Event {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return []state.Event{state.Wheel(-1)}
	case msg.Button == tea.MouseButtonWheelDown:
		return []state.Event{state.Wheel(1)}
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress:
		return []state.Event{state.Click{X: msg.X, Y: msg.Y}}
	}
	return nil
}
