package catalog

import (
	"errors"
	"io/fs"
	"path"
	"reflect"
	"strings"

	"planner/hardware"
)

// presetCluster reads a cluster preset by its exact name, with gpu as its
// accelerator unless that is nil.
func presetCluster(name string, gpu *hardware.Accelerator) (*hardware.Cluster, error) {
	d, err := presetDecoder(path.Join("clusters", name+".toml"))
	if err != nil {
		return nil, err
	}
	return readCluster(d, name, gpu)
}

// ParseCluster reads a cluster TOML of the user's; file names it in errors,
// which are of type *Error and list every fault. The cluster has no size yet.
func ParseCluster(file string, text []byte) (*hardware.Cluster, error) {
	d, err := newDecoder(file, text)
	if err != nil {
		return nil, err
	}
	if d.strange(reflect.TypeFor[clusterSpec]()) {
		return nil, Errorf(`%s: not a cluster TOML: none of its keys is a cluster's: want gpu = "h100-sxm-80gb", gpus_per_node and a [[tier]] for each kind of link`, file)
	}
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	return readCluster(d, strings.TrimSuffix(base, ".toml"), nil)
}

func readCluster(d *decoder, name string, gpu *hardware.Accelerator) (*hardware.Cluster, error) {
	s := clusterSpec{Name: name}
	d.assign("", d.root, pointed(&s))
	s.check(d)
	if gpu == nil {
		gpu = clusterGPU(d, s.GPU)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	c := s.cluster()
	c.GPU = gpu
	if c.Title == "" {
		c.Title = c.Name
	}
	if err := fitTiers(c.Tiers, gpu.Arch); err != nil {
		return nil, err
	}
	for i := range s.Tiers {
		if s.Tiers[i].Fit != nil {
			d.assign(index("tier", i)+".fit", s.Tiers[i].Fit, pointed(&c.Tiers[i].Fit))
			c.Tiers[i].Fit.Stated = stated(s.Tiers[i].Fit)
			checkFit(d, index("tier", i)+".fit", &c.Tiers[i].Fit)
		}
	}
	return c, d.err()
}

// clusterGPU reads the gpu key: the name of a preset, or a table of its own
// that may start from one. It records faults in d.
func clusterGPU(d *decoder, raw any) *hardware.Accelerator {
	switch v := raw.(type) {
	case string:
		a, err := Accelerator(v)
		d.absorb("gpu", err)
		return a
	case map[string]any:
		return inlineGPU(d, v)
	case nil:
		d.fail("", `no gpu: want gpu = "h100-sxm-80gb" or a [gpu] table`)
	default:
		d.fail("gpu", "gpu: is %s: want the name of an accelerator or a table", kindOf(raw))
	}
	return nil
}

func inlineGPU(d *decoder, raw map[string]any) *hardware.Accelerator {
	s := &gpuSpec{Name: "gpu"}
	if name, ok := raw["preset"].(string); ok {
		preset, _, err := readGPU(resolve(name))
		if errors.Is(err, fs.ErrNotExist) {
			err = unknownGPU(name)
		}
		d.absorb("gpu.preset", err)
		if err == nil {
			s = preset
		}
	}
	d.assign("gpu", raw, pointed(s))
	a, err := finishGPU(s, d, "gpu")
	var already *Error
	if !errors.As(err, &already) {
		d.absorb("gpu", err)
	}
	return a
}

// absorb records the faults of err at path.
func (d *decoder) absorb(path string, err error) {
	if err != nil {
		d.fail(path, "%v", err)
	}
}
