package diagnose

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"planner/internal/catalog"
)

// variable is ${NAME:default} or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{[A-Za-z0-9_]+(?::-?([^}]*))?\}`)

// parseMegatronYAML reads Megatron's arguments from YAML at any depth: as a
// flat file or under modules.….overrides. Variables take their defaults.
func parseMegatronYAML(name string, text []byte) (*Config, error) {
	var root any
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, catalog.Errorf("%s: not valid YAML: %s", name, strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")), " "))
	}
	s := settings{}
	flatten(root, s, 0)
	c := &Config{Kind: "Megatron YAML", Framework: "megatron"}
	return c, s.read(c, name)
}

// deepest bounds the nesting that is read.
const deepest = 16

func flatten(v any, s settings, depth int) {
	if depth > deepest {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			switch e.(type) {
			case map[string]any, []any:
				flatten(e, s, depth+1)
			case nil:
			default:
				s[k] = variable.ReplaceAllString(fmt.Sprint(e), "$1")
			}
		}
	case []any:
		for _, e := range x {
			flatten(e, s, depth+1)
		}
	}
}
