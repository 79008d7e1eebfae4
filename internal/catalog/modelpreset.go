package catalog

import (
	"path"
	"strings"
	"sync"

	"planner/costmodel"
	"planner/presets"
)

// presetText is one family file with the names of its models.
type presetText struct {
	file  string
	text  []byte
	names []string
}

// presetFiles reads the family files once. Names are found by their table
// headers, so that only the file of the model asked for is ever parsed.
var presetFiles = sync.OnceValue(func() []presetText {
	entries, err := presets.Models.ReadDir("models")
	if err != nil {
		panic(err)
	}
	var files []presetText
	for _, e := range entries {
		if e.Name() == "aliases.toml" {
			continue
		}
		text, err := presets.Models.ReadFile(path.Join("models", e.Name()))
		if err != nil {
			panic(err)
		}
		files = append(files, presetText{e.Name(), text, tableNames(text)})
	}
	return files
})

// tableNames lists the headers such as ["llama3.1-70b"].
func tableNames(text []byte) []string {
	var names []string
	for line := range strings.Lines(string(text)) {
		if s, ok := strings.CutPrefix(line, `["`); ok {
			name, _, _ := strings.Cut(s, `"`)
			names = append(names, name)
		}
	}
	return names
}

// aliasFile is presets/models/aliases.toml.
type aliasFile struct {
	Sizes map[string]string `toml:"sizes"`
	Names map[string]string `toml:"names"`
}

var modelAliases = sync.OnceValue(func() aliasFile {
	var a aliasFile
	text, err := presets.Models.ReadFile("models/aliases.toml")
	if err == nil {
		err = Decode("aliases.toml", text, &a)
	}
	if err != nil {
		panic(err)
	}
	return a
})

// fold drops what spellings of one name differ in; dots stay, for 1.3b is not
// 13b.
func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// presetName returns the preset that ref spells, or "".
func presetName(ref string) string {
	a := modelAliases()
	lower := strings.ToLower(ref)
	if n := a.Sizes[lower]; n != "" {
		return n
	}
	folded := ""
	for _, f := range presetFiles() {
		for _, n := range f.names {
			switch {
			case n == lower:
				return n
			case fold(n) == fold(ref):
				folded = n
			}
		}
	}
	for k, n := range a.Names {
		if folded == "" && fold(k) == fold(ref) {
			return n
		}
	}
	return folded
}

// preset builds the preset of that exact name.
func preset(name string) (*costmodel.Model, error) {
	s, err := presetSpec(name)
	if err != nil {
		return nil, err
	}
	return s.build(name)
}

// presetSpec decodes the preset of that exact name.
func presetSpec(name string) (*modelSpec, error) {
	for _, f := range presetFiles() {
		for _, n := range f.names {
			if n != name {
				continue
			}
			d, err := newDecoder(f.file, f.text)
			if err != nil {
				return nil, err
			}
			s := new(modelSpec)
			assignLike(d, name, s, 0)
			return s, d.err()
		}
	}
	return nil, Errorf("model %q: no such preset: see planner models", name)
}

// assignLike stores the table name into s, after the sizes of the one that it
// is like; what was published of that one does not carry over.
func assignLike(d *decoder, name string, s *modelSpec, depth int) {
	table, _ := d.root[name].(map[string]any)
	if like, ok := table["like"].(string); ok {
		if d.root[like] == nil || depth > len(d.root) {
			d.fail(name, "like %q: no such table: want the name of another model of this file", like)
			return
		}
		assignLike(d, like, s, depth+1)
		s.Title, s.Source, s.AsOf = "", "", ""
		s.Published, s.PublishedBy, s.PublishedWithin = "", "", 0
	}
	d.assign(name, d.root[name], pointed(s))
}
