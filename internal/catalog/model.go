package catalog

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"planner/costmodel"
	"planner/presets"
)

// Model returns the model that ref names: a preset, an alias, a bare size such
// as "70b", or the path of a Hugging Face config.json or of a model TOML.
func Model(ref string) (*costmodel.Model, error) {
	if file := presetFile(ref); file != "" {
		return preset(file, ref)
	}
	return nil, Unknown("model", ref, ModelNames(), "planner models")
}

// ModelNames returns the names of all presets, sorted.
func ModelNames() []string {
	var names []string
	for _, f := range presetFiles() {
		for line := range strings.Lines(f.text) {
			if n, ok := tableName(line); ok {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return names
}

type presetText struct{ name, text string }

// presetFiles reads the family files, aliases left out.
func presetFiles() []presetText {
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
		files = append(files, presetText{e.Name(), string(text)})
	}
	return files
}

// presetFile finds the file of a preset by its table header, so that the
// others need not be parsed.
func presetFile(name string) string {
	for _, f := range presetFiles() {
		if strings.Contains(f.text, "\n[\""+name+"\"]\n") {
			return f.name
		}
	}
	return ""
}

// tableName reads a header such as ["llama3.1-70b"].
func tableName(line string) (string, bool) {
	s, ok := strings.CutPrefix(strings.TrimSpace(line), `["`)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, `"]`)
}

func preset(file, name string) (*costmodel.Model, error) {
	specs, err := familySpecs(file)
	if err != nil {
		return nil, err
	}
	return specs[name].build(name)
}

// familySpecs decodes one file of presets and resolves what each is like.
func familySpecs(file string) (map[string]*modelSpec, error) {
	text, err := presets.Models.ReadFile(path.Join("models", file))
	if err != nil {
		return nil, err
	}
	var raw map[string]any
	if err := Decode(file, text, &raw); err != nil {
		return nil, err
	}
	specs := make(map[string]*modelSpec)
	for name := range raw {
		s := new(modelSpec)
		if err := assignLike(file, bytes.TrimSpace(text), name, raw, s); err != nil {
			return nil, err
		}
		specs[name] = s
	}
	return specs, nil
}

// assignLike stores the table name into s, after the one that it is like.
func assignLike(file string, text []byte, name string, raw map[string]any, s *modelSpec) error {
	table, _ := raw[name].(map[string]any)
	if like, ok := table["like"].(string); ok {
		if raw[like] == nil || like == name {
			return Errorf("%s: %s: like %q: no such table", file, name, like)
		}
		if err := assignLike(file, text, like, raw, s); err != nil {
			return err
		}
	}
	return Assign(file, text, name, raw[name], s)
}
