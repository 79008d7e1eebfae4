package catalog

import (
	"errors"
	"io/fs"
	"path"
	"regexp"

	"planner/presets"
)

// ClusterTOML returns the file that describes what Cluster takes for name, to be
// edited and given back as a path: a preset's own, that of an accelerator's usual
// machine with this accelerator in it, or the user's. Errors are those of Cluster.
func ClusterTOML(name string) ([]byte, error) {
	if _, err := findCluster(name); err != nil {
		return nil, err
	}
	if IsPath(name) {
		return ReadFile("cluster TOML", name)
	}
	id := resolve(name)
	text, err := presets.Hardware.ReadFile(path.Join("clusters", id+".toml"))
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	a, usual, err := accelerator(id)
	if err != nil {
		return nil, err
	}
	text, err = presets.Hardware.ReadFile(path.Join("clusters", usual+".toml"))
	return gpuLine.ReplaceAll(text, []byte(`gpu = "`+a.Name+`"`)), err
}

// gpuLine is where a cluster preset names its accelerator.
var gpuLine = regexp.MustCompile(`(?m)^gpu = ".*"`)
