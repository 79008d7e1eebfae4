package ask

import (
	"fmt"
	"slices"
	"strings"

	"planner/costmodel"
	"planner/internal/catalog"
)

// model finds the model, says which preset another spelling or a size stands
// for, and notes what of the model nothing is predicted of.
func (a *Answer) model() (*costmodel.Model, error) {
	m, err := a.readModel()
	if err != nil {
		return nil, err
	}
	if m.Name != a.Model {
		chosen := m.Name
		if catalog.UnlistedSize(a.Model) && !strings.EqualFold(m.Name, a.Model) {
			chosen += ", the nearest preset"
		}
		a.Defaults = append(a.Defaults, Default{"--model " + a.Model, chosen})
	}
	if len(m.MTP) > 0 {
		m.Notes = append(slices.Clip(m.Notes), fmt.Sprintf("multi-token prediction is not priced: its %.1f B parameters are in no figure here, nor are their FLOPs, memory and time",
			float64(m.MTPParameters())/1e9))
	}
	return m, nil
}

func (a *Answer) readModel() (*costmodel.Model, error) {
	text, err := a.text(&a.Files.Model, a.Model, catalog.ModelFile)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return catalog.Model(a.Model)
	}
	return catalog.ParseModel(a.Model, text)
}
