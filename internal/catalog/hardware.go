package catalog

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"planner/hardware"
	"planner/presets"
)

// MaxGPUs is the largest cluster that is planned for.
const MaxGPUs = 1 << 20

// AcceleratorNames returns the names of the accelerator presets, sorted.
func AcceleratorNames() []string { return presetNames("hardware", "fit", "aliases") }

// ClusterNames returns the names of the cluster presets, sorted. Every name
// of AcceleratorNames is a valid cluster too: the part's usual machine.
func ClusterNames() []string { return presetNames("clusters", "fit") }

// presetNames lists the TOML files of an embedded folder.
func presetNames(folder string, but ...string) []string {
	files, _ := presets.Hardware.ReadDir(folder)
	var names []string
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".toml")
		if ok && !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	return names
}

// Accelerator returns the preset of that name or alias. The error for an
// unknown name is an *Error that offers the nearest.
func Accelerator(name string) (*hardware.Accelerator, error) {
	a, _, err := accelerator(resolve(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownGPU(name)
	}
	return a, err
}

// unknownGPU is the error for a name that is no accelerator's.
func unknownGPU(name string) error {
	known := AcceleratorNames()
	for alias, target := range aliases() {
		if slices.Contains(known, target) {
			known = append(known, alias)
		}
	}
	slices.Sort(known)
	return Unknown("accelerator", name, known, "planner hardware")
}

// accelerator reads a preset by its exact name and says which cluster the bare
// name means.
func accelerator(name string) (a *hardware.Accelerator, cluster string, err error) {
	s, d, err := readGPU(name)
	if err != nil {
		return nil, "", err
	}
	a, err = finishGPU(s, d, "")
	return a, s.Cluster, err
}

func readGPU(name string) (*gpuSpec, *decoder, error) {
	d, err := presetDecoder(path.Join("hardware", name+".toml"))
	if err != nil {
		return nil, nil, err
	}
	s := &gpuSpec{Name: name}
	d.assign("", d.root, pointed(s))
	return s, d, d.err()
}

// finishGPU checks and converts s, found at path of d, and fills in its fit.
func finishGPU(s *gpuSpec, d *decoder, path string) (*hardware.Accelerator, error) {
	s.check(d, path)
	if err := d.err(); err != nil {
		return nil, err
	}
	a := s.accelerator()
	if err := fitGPU(a); err != nil {
		return nil, err
	}
	if s.Fit != nil {
		d.assign(join(path, "fit"), s.Fit, pointed(&a.Fit))
		checkEfficiency(d, join(path, "fit"), &a.Fit)
	}
	return a, d.err()
}

// resolve follows an alias; case and surrounding spaces do not matter.
func resolve(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if target := aliases()[name]; target != "" {
		return target
	}
	return name
}

func aliases() map[string]string {
	m := make(map[string]string)
	d, err := presetDecoder("hardware/aliases.toml")
	if err == nil {
		d.assign("", d.root, pointed(&m))
	}
	return m
}

// Cluster returns the cluster of gpus accelerators that name stands for: a
// cluster preset, an accelerator preset (its usual machine), an alias of
// either, or the path of a cluster TOML. Errors are of type *Error.
//
// Where NVLink joins more than a node (NVL72) and gpus is no multiple of the
// domain, the ranks are spread over equal partial domains: see [Domain].
func Cluster(name string, gpus int) (*hardware.Cluster, error) {
	return ClusterWith(name, gpus, ClusterOptions{})
}

// ClusterWith is Cluster with parts of the description replaced.
func ClusterWith(name string, gpus int, o ClusterOptions) (*hardware.Cluster, error) {
	return sized(gpus, o, func() (*hardware.Cluster, error) { return findCluster(name) })
}

// ClusterOf is ClusterWith for the text of the cluster TOML called file.
func ClusterOf(file string, text []byte, gpus int, o ClusterOptions) (*hardware.Cluster, error) {
	return sized(gpus, o, func() (*hardware.Cluster, error) { return ParseCluster(file, text) })
}

func sized(gpus int, o ClusterOptions, find func() (*hardware.Cluster, error)) (*hardware.Cluster, error) {
	if err := CheckGPUs(gpus); err != nil {
		return nil, err
	}
	c, err := find()
	if err != nil {
		return nil, err
	}
	if err := o.apply(c); err != nil {
		return nil, err
	}
	if err := size(c, gpus); err != nil {
		return nil, err
	}
	return c, nil
}

// CheckGPUs refuses a number of GPUs that no cluster has.
func CheckGPUs(n int) error {
	switch {
	case n < 1:
		return Errorf("--gpus %d: too small: want 1 to 1,048,576", n)
	case n > MaxGPUs:
		return Errorf("--gpus %d: too large: want 1 to 1,048,576", n)
	}
	return nil
}

// IsPath reports whether name is meant as a file rather than a preset.
func IsPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.EqualFold(filepath.Ext(name), ".toml")
}

// MaxKept bounds the text of a file that a plan keeps, in bytes: a real one has a
// few thousand.
const MaxKept = 256 << 10

// HardwareFile returns the text of the file that name, a value of --hardware,
// stands for, or nil where it is a preset.
func HardwareFile(name string) ([]byte, error) {
	if !IsPath(name) {
		return nil, nil
	}
	return ReadFile("cluster TOML", name)
}

// findCluster reads the cluster that name stands for, without its size.
func findCluster(name string) (*hardware.Cluster, error) {
	switch text, err := HardwareFile(name); {
	case err != nil:
		return nil, err
	case text != nil:
		return ParseCluster(name, text)
	}
	id := resolve(name)
	c, err := presetCluster(id, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	a, usual, err := accelerator(id)
	if errors.Is(err, fs.ErrNotExist) {
		known := append(append(AcceleratorNames(), ClusterNames()...), sortedKeys(aliases())...)
		return nil, Unknown("hardware", name, known, "planner hardware")
	}
	if err != nil {
		return nil, err
	}
	c, err = presetCluster(usual, a)
	if err == nil {
		c.Name = a.Name
	}
	return c, err
}
