package verdict

import (
	"embed"
	"path"
	"strings"

	"planner/costmodel"
	"planner/internal/catalog"
)

// The small models that a laptop can replay: their steps on emulated links of
// tens of MB/s take tenths of a second.
//
//go:embed models/*.toml
var models embed.FS

// Models returns the names of the bundled small models.
func Models() []string {
	files, _ := models.ReadDir("models")
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// Model returns a bundled small model, or what the catalog has of that name.
func Model(name string) (*costmodel.Model, error) {
	file := path.Join("models", name+".toml")
	text, err := models.ReadFile(file)
	if err != nil {
		return catalog.Model(name)
	}
	return catalog.ParseModelTOML(file, text)
}
