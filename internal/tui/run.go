package tui

import (
	"context"
	"errors"
	"os"

	_ "early" // before bubbletea

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"

	"planner/internal/tui/state"
)

// ErrNoTerminal says that standard output is no terminal.
var ErrNoTerminal = errors.New("explore needs a terminal: planner suggest and planner explain print the same")

// Run holds a session on the terminal until the user ends it. The theme is
// light or dark; any other asks the terminal.
func Run(ctx context.Context, c state.Config, theme string, mouse bool, run Runner) error {
	out := os.Stdout
	width, height, err := term.GetSize(out.Fd())
	if err != nil || !term.IsTerminal(os.Stdin.Fd()) {
		return ErrNoTerminal
	}
	lipgloss.SetDefaultRenderer(lipgloss.NewRenderer(out))
	dark := theme == "dark"
	if theme != "light" && !dark {
		dark = darkBackground(os.Stdin, out)
	}
	lipgloss.SetHasDarkBackground(dark)
	m := New(c, Options{Clipboard: out, Run: run, Width: width, Height: height})
	defer m.Close()
	options := []tea.ProgramOption{tea.WithAltScreen(), tea.WithContext(ctx)}
	if mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	_, err = tea.NewProgram(m, options...).Run()
	return err
}
