package state

import (
	"slices"
	"strings"

	"planner/internal/tui/filter"
)

// PromptKind is what a line of text is typed for.
type PromptKind int

// The kinds.
const (
	NoPrompt PromptKind = iota
	FilterPrompt
	SavePrompt
	CommandPrompt
)

// Prompt is a line being typed; Fault is what is wrong with it so far.
type Prompt struct {
	Kind  PromptKind
	Text  string
	Fault string
}

// Label is what stands before the line.
func (p *Prompt) Label() string {
	return [...]string{"", "filter: ", "save JSON as: ", "planner "}[p.Kind]
}

func (s State) ask(kind PromptKind, text string) State {
	s.Prompt = Prompt{Kind: kind, Text: text}
	return s
}

// typed handles a key of a prompt.
func (s State) typed(k string) (State, []Effect) {
	p := s.Prompt
	switch k {
	case "esc":
		s.Prompt = Prompt{}
		return s, nil
	case "enter":
		return s.entered()
	case "backspace", "ctrl+h":
		r := []rune(p.Text)
		p.Text = string(r[:max(0, len(r)-1)])
	case "ctrl+u":
		p.Text = ""
	case "ctrl+w":
		p.Text = strings.TrimRight(p.Text, " ")
		p.Text = p.Text[:strings.LastIndex(p.Text, " ")+1]
	case "tab":
		p.Text = s.completed(p)
	default:
		if r := []rune(k); len(r) == 1 || !named[k] && len(r) > 1 {
			p.Text += k
		}
	}
	p.Fault = ""
	if p.Kind == FilterPrompt {
		if _, err := filter.Parse(p.Text); err != nil {
			p.Fault = err.Error()
		}
	}
	s.Prompt = p
	return s, nil
}

// named are keys that are no text.
var named = map[string]bool{"up": true, "down": true, "left": true, "right": true, "pgup": true, "pgdown": true, "home": true,
	"end": true, "delete": true, "shift+tab": true, "ctrl+x": true, "ctrl+a": true, "ctrl+e": true, "ctrl+r": true, "ctrl+y": true, "ctrl+z": true}

// completed finishes the word being typed: a field, or a command.
func (s *State) completed(p Prompt) string {
	at := strings.LastIndex(p.Text, " ") + 1
	head, word := p.Text[:at], strings.TrimPrefix(p.Text[at:], "!")
	var known []string
	switch {
	case p.Kind == FilterPrompt:
		known = filter.Fields()
	case p.Kind == CommandPrompt && at == 0:
		known = s.Commands
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, word) })
	if i < 0 || word == "" {
		return p.Text
	}
	if strings.HasPrefix(p.Text[at:], "!") {
		head += "!"
	}
	if p.Kind == CommandPrompt {
		return head + known[i] + " "
	}
	return head + known[i]
}

func (s State) entered() (State, []Effect) {
	p := s.Prompt
	if p.Kind == FilterPrompt {
		f, err := filter.Parse(p.Text)
		if err != nil {
			s.Prompt.Fault = err.Error()
			return s, nil
		}
		s.Prompt = Prompt{}
		return s.filtered(f)
	}
	s.Prompt = Prompt{}
	text := strings.TrimSpace(p.Text)
	if text == "" {
		return s, nil
	}
	if p.Kind == SavePrompt {
		if pt := s.Subject(); pt != nil {
			return s, []Effect{Save{text, *pt}}
		}
		return s, nil
	}
	s.Message = "running planner " + text + " …"
	return s, []Effect{Run{strings.Fields(text)}}
}

// filtered applies a filter; where it tells a search anything, it searches
// again, so that the rows are the best of those that pass and not only those
// that were kept.
func (s State) filtered(f filter.Filter) (State, []Effect) {
	again := f.Explicit() || s.Filter.Explicit()
	s.Filter, s.Top, s.Cursor = f, 0, 0
	if again {
		s, effects := s.search()
		return s.order(""), effects
	}
	return s.order(""), nil
}
