// Package early keeps programs that link bubbletea v1 from asking the terminal
// for its background before main runs. Bubbletea asks in an init function, on
// behalf of every command of the program, and waits up to five seconds for
// terminals that do not answer, such as those of CI and of expect(1).
//
// Go initialises packages whose imports are ready in the order of their import
// paths (language specification, "Program initialization"). That is why this
// is a module of its own, whose path sorts before bubbletea's: its init runs
// first and tells lipgloss an answer, so that no question is asked. Who draws
// asks again with a renderer of its own.
package early

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
