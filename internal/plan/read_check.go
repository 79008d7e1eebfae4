package plan

import (
	"math"
	"path/filepath"
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// CheckName refuses a file name by which Read would take a plan TOML for another
// kind of file.
func CheckName(file string) error {
	switch ext := strings.ToLower(filepath.Ext(file)); ext {
	case ".json", ".html", ".htm":
		return catalog.Errorf("--output %q: a plan is TOML, and would be read back as %s: want a name that ends in .toml", file, strings.ToUpper(ext[1:]))
	}
	return nil
}

func (p *Plan) check(file string) error {
	if p.Format != Format {
		return catalog.Errorf("%s: format %d: not known: want format = %d, as planner plan save writes", file, p.Format, Format)
	}
	if _, err := strategies.ParseLayout(p.Layout); err != nil {
		return catalog.Errorf("%s: layout %s", file, err)
	}
	if err := checkFiles(file, &p.Question.Files); err != nil {
		return err
	}
	f := p.Predicted
	for _, v := range []float64{f.Step, f.Memory, f.Usable} {
		if !(v > 0) || math.IsInf(v, 1) {
			return catalog.Errorf("%s: predicted: step_seconds, memory_bytes and usable_bytes must be above 0: want the figures that planner plan save writes", file)
		}
	}
	return p.checkQuestion(file)
}

// checkQuestion refuses a question that cannot be asked, of whatever presets.
func (p *Plan) checkQuestion(file string) error {
	q := p.Question.Ask()
	return (&Plan{File: file, Question: p.Question}).Named(q.Check())
}
