package catalog

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"planner/costmodel"
)

// Model returns the model that ref, the value of --model, names: a preset, a
// bare size such as "70b", or the path of a Hugging Face config.json or of a
// model TOML. Spellings of presets may differ in case and in separators:
// "Llama-3.1-70B" is "llama3.1-70b". The error is an *Error.
func Model(ref string) (*costmodel.Model, error) { return ModelAs("--model", ref) }

// ModelAs is Model for a reference that was given as what, such as "model".
func ModelAs(what, ref string) (*costmodel.Model, error) {
	given := fmt.Sprintf("%s %q", what, ref)
	switch {
	case strings.TrimSpace(ref) == "":
		return nil, Errorf("%s: empty: give a preset, a size like 70b, or a path", given)
	case isPath(ref):
		if name := hubName(ref); name != "" {
			return preset(name)
		}
		return modelFile(given, ref)
	}
	if name := presetName(ref); name != "" {
		return preset(name)
	}
	if size, ok, err := parseSize(ref); err != nil {
		return nil, Errorf("%s: %v", given, err)
	} else if ok {
		return bySize(ref, size)
	}
	if _, err := os.Stat(ref); err == nil {
		return modelFile(given, ref)
	}
	if n := nearestModel(ref, ModelNames()); n != "" {
		return nil, Errorf("%s: no such preset: did you mean %q? (planner models)", given, n)
	}
	return nil, Errorf("%s: no such preset: give a preset (planner models), a size like 70b, or a path", given)
}

// sizeInName is what the name of a model says of its parameters: 405b, 8x7b.
var sizeInName = regexp.MustCompile(`(?:\d+x)?\d+(?:\.\d+)?[bmt]\b`)

// nearestModel is Nearest, but prefers a name of the size that ref has and of a
// family that begins alike: another version is nearer than another size.
func nearestModel(ref string, names []string) string {
	ref = strings.ToLower(ref)
	size, best, near := sizeInName.FindString(ref), len(ref), ""
	for _, n := range names {
		if size == "" || sizeInName.FindString(n) != size || beginning(ref, n) < 3 {
			continue
		}
		if d := levenshtein.ComputeDistance(ref, n); d < best {
			best, near = d, n
		}
	}
	if near != "" {
		return near
	}
	return Nearest(ref, names)
}

// isPath reports whether ref can only be meant as a file.
func isPath(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".json") || strings.HasSuffix(ref, ".toml")
}

// IsModelFile reports whether ref, as Model reads it, is a file: it can be
// nothing else, or is no preset and no size, and is there.
func IsModelFile(ref string) bool {
	if isPath(ref) {
		return hubName(ref) == ""
	}
	if _, size, err := parseSize(ref); size || err != nil || presetName(ref) != "" || strings.TrimSpace(ref) == "" {
		return false
	}
	_, err := os.Stat(ref)
	return err == nil
}

// hubName returns the preset that an identifier of the Hugging Face hub, such
// as "meta-llama/Llama-3.1-70B", names, unless it is a file here.
func hubName(ref string) string {
	org, name, ok := strings.Cut(ref, "/")
	if !ok || org == "" || strings.HasPrefix(org, ".") || strings.Contains(name, "/") {
		return ""
	}
	if _, err := os.Stat(ref); err == nil {
		return ""
	}
	return presetName(name)
}

// ModelNames returns the names of all presets, sorted.
func ModelNames() []string {
	var names []string
	for _, f := range presetFiles() {
		names = append(names, f.names...)
	}
	slices.Sort(names)
	return names
}

// ModelAliases returns every other spelling that Model accepts, bare sizes
// included, with the preset it stands for.
func ModelAliases() map[string]string {
	a := modelAliases()
	all := make(map[string]string, len(a.Sizes)+len(a.Names))
	for k, v := range a.Sizes {
		all[k] = v
	}
	for k, v := range a.Names {
		all[k] = v
	}
	return all
}
