package tui

import (
	"github.com/charmbracelet/lipgloss"

	"planner/internal/tui/knob"
	"planner/internal/tui/state"
)

// theme is the styles of the screens. Every colour has a letter or pattern
// that says the same, so that nothing is lost without it; lipgloss drops
// colours for NO_COLOR and terminals that have none.
type theme struct {
	parts                        map[string]lipgloss.Style
	title, dim, bold, bad, frame lipgloss.Style
	cursor                       lipgloss.Style

	picture *picture // the last timeline drawn
	solved  map[solution][]knob.Option
}

// pictureOf returns the timeline of a layout, walked when it is first drawn.
func (t *theme) pictureOf(x *state.Explained) *picture {
	if t.picture == nil || t.picture.of.Plan != x.Plan || t.picture.of.Framework != x.Framework {
		t.picture = pictured(x)
	}
	return t.picture
}

// newTheme returns colours after Okabe and Ito (2008), darker on light ground
// and lighter on dark.
func newTheme() theme {
	ink := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	blue, orange, mauve := ink("#0072b2", "#56b4e9"), ink("#c97b00", "#f0a830"), ink("#a85a86", "#d291b4")
	sky, olive, green := ink("#3a93c9", "#8fd0f5"), ink("#7a6a00", "#c8b82a"), ink("#008560", "#2fc299")
	grey, vermilion, slate, yellow := ink("#8c96a3", "#8c96a3"), ink("#c44e00", "#f07a33"), ink("#626c7a", "#a5afbd"), ink("#a07c10", "#f0c45c")
	return theme{
		solved: map[solution][]knob.Option{},
		parts: map[string]lipgloss.Style{
			"compute": blue, "activations": blue, "TP": orange, "gradients": orange, "CP": mauve, "master": mauve, "PP": sky, "moments": sky,
			"EP": olive, "logits": olive, "DP": green, "buffers": green, "bubble": grey, "fragmentation": grey,
			"optimizer": vermilion, "overhead": slate, "runtime": slate, "other": slate, "weights": yellow,
		},
		title: lipgloss.NewStyle().Bold(true), bold: lipgloss.NewStyle().Bold(true), dim: grey, frame: grey,
		bad: vermilion, cursor: lipgloss.NewStyle().Bold(true).Underline(false).Background(lipgloss.AdaptiveColor{Light: "#dbe9f4", Dark: "#24384a"}),
	}
}
