package catalog

import (
	"sync"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/presets"
)

// collectivesFile is the bundled constants of collectives, in
// presets.Collectives. `planner calibrate --collectives` writes it.
const collectivesFile = "collectives/fit.toml"

// collectiveSpec is the constants of collectives as their TOML spells them.
type collectiveSpec struct {
	Protocol collectiveProtocol `toml:"protocol"`
	Links    []collectiveLink   `toml:"link"`
	Source   string             `toml:"source"`
	AsOf     string             `toml:"as_of"`
	Fit      map[string]any     `toml:"fit"` // how the fit went: for readers
}

type collectiveProtocol struct {
	Pair     float64 `toml:"pair"`
	TreeFill float64 `toml:"tree_fill"`
	Crowd    float64 `toml:"crowd"`
}

type collectiveLink struct {
	Name       string       `toml:"name"`
	Base       unit.Seconds `toml:"base"`
	Hop        unit.Seconds `toml:"hop"`
	Gap        unit.Seconds `toml:"gap"`
	Fill       unit.Seconds `toml:"fill"`
	Meet       unit.Seconds `toml:"meet"`
	Knee       float64      `toml:"knee"`
	Reach      float64      `toml:"reach"`
	Tree       float64      `toml:"tree"`
	Pairs      float64      `toml:"pairs"`
	P2P        float64      `toml:"p2p"`
	Lane       float64      `toml:"lane"`
	Switch     float64      `toml:"switch"`
	SwitchStep unit.Seconds `toml:"switch_step"`

	FittedOn   string `toml:"fitted_on"`
	Confidence string `toml:"confidence"`
}

// Collectives returns the bundled constants of collectives.
func Collectives() (*collective.Constants, error) { return bundledCollectives() }

var bundledCollectives = sync.OnceValues(func() (*collective.Constants, error) {
	text, err := presets.Collectives.ReadFile(collectivesFile)
	if err != nil {
		return nil, err
	}
	return ParseCollectives("presets/"+collectivesFile, text)
})

// ParseCollectives reads constants of collectives from TOML. Errors are of type
// *Error and name file and line.
func ParseCollectives(file string, text []byte) (*collective.Constants, error) {
	d, err := newDecoder(file, text)
	if err != nil {
		return nil, err
	}
	var s collectiveSpec
	d.assign("", d.root, pointed(&s))
	c := &collective.Constants{Protocol: collective.Protocol(s.Protocol)}
	s.check(d)
	for _, l := range s.Links {
		c.Links = append(c.Links, l.link())
	}
	return c, d.err()
}

func (l *collectiveLink) link() collective.Link {
	return collective.Link{
		Name: l.Name, Base: l.Base, Hop: l.Hop, Gap: l.Gap, Fill: l.Fill, Meet: l.Meet, Knee: l.Knee,
		Reach: l.Reach, Tree: l.Tree, Pairs: l.Pairs, P2P: l.P2P, Lane: l.Lane,
		Switch: l.Switch, SwitchStep: l.SwitchStep,
	}
}

// check records what no link can be.
func (s *collectiveSpec) check(d *decoder) {
	if p := s.Protocol; p.Pair <= 0 || p.TreeFill <= 0 || p.Crowd <= 0 || p.Crowd > 1 {
		d.fail("protocol", "protocol: pair and tree_fill must be above 0 and crowd above 0 and at most 1")
	}
	if len(s.Links) == 0 {
		d.fail("link", "no [[link]]: want one for each kind of link")
	}
	seen := map[string]bool{}
	for i := range s.Links {
		l, path := &s.Links[i], index("link", i)
		if l.Name == "" || seen[l.Name] {
			d.fail(join(path, "name"), "name: %q: empty or given twice: want a link kind, or one and an architecture (nvlink-hopper)", l.Name)
		}
		seen[l.Name] = true
		l.check(d, path)
	}
	for _, name := range []string{"pcie", "ib"} {
		if !seen[name] {
			d.fail("link", "no [[link]] %q: other kinds fall back on it", name)
		}
	}
}

func (l *collectiveLink) check(d *decoder, path string) {
	for _, share := range []struct {
		name  string
		value float64
	}{{"reach", l.Reach}, {"tree", l.Tree}, {"pairs", l.Pairs}, {"p2p", l.P2P}} {
		if !(share.value > 0 && share.value <= 1) {
			d.fail(join(path, share.name), "%s: %g: want a share of the nominal rate, above 0 and at most 1", share.name, share.value)
		}
	}
	if l.Base < 0 || l.Hop < 0 || l.Gap < 0 || l.Meet < 0 || l.Fill < 0 || l.SwitchStep < 0 {
		d.fail(path, "a negative time: want 0 or more")
	}
	if !(l.Knee > 0) {
		d.fail(join(path, "knee"), "knee: %g: want more than 0", l.Knee)
	}
	if l.Lane < 0 || l.Lane > 1 {
		d.fail(join(path, "lane"), "lane: %g: want 0 to 1", l.Lane)
	}
	if l.Switch < 0 || l.Switch > 1 {
		d.fail(join(path, "switch"), "switch: %g: want 0 to 1", l.Switch)
	}
}
