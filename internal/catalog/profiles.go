package catalog

import (
	"path"

	"planner/presets"
	"planner/strategies"
)

// frameworks lists the profiles in order of preference: a layout of
// `--framework any` runs under the first that can run it. The order is by how
// much of the space a framework covers and how far its overlap goes.
var frameworks = []string{"megatron", "torchtitan", "fsdp", "deepspeed", "megatron-deepspeed", "nanotron"}

// Frameworks returns the values of --framework, "any" first.
func Frameworks() []string { return append([]string{"any"}, frameworks...) }

// Profiles returns the profiles that name stands for, in order of preference.
func Profiles(name string) ([]*strategies.Profile, error) {
	names := []string{name}
	if name == "any" || name == "" {
		names = frameworks
	}
	fits, err := profileFits()
	if err != nil {
		return nil, err
	}
	var out []*strategies.Profile
	for _, n := range names {
		p, err := readProfile(n, fits)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func readProfile(name string, fits map[string]map[string]strategies.ProfileFit) (*strategies.Profile, error) {
	file := path.Join("profiles", name+".toml")
	text, err := presets.Profiles.ReadFile(file)
	if err != nil {
		return nil, Unknown("framework", name, Frameworks(), "planner suggest --help")
	}
	p := &strategies.Profile{}
	if err := Decode(file, text, p); err != nil {
		return nil, err
	}
	p.Fit = fits[name]
	p.Default = fits[name]["default"]
	return p, nil
}

// profileFits reads the fitted constants by framework and generation.
func profileFits() (map[string]map[string]strategies.ProfileFit, error) {
	const file = "profiles/fit.toml"
	text, err := presets.Profiles.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ProfileFits(file, text)
}

// ProfileFits reads a file of fitted constants such as `planner calibrate`
// writes.
func ProfileFits(file string, text []byte) (map[string]map[string]strategies.ProfileFit, error) {
	head := struct {
		Source            string                           `toml:"source"`
		AsOf              string                           `toml:"as_of"`
		Megatron          map[string]strategies.ProfileFit `toml:"megatron"`
		MegatronDeepSpeed map[string]strategies.ProfileFit `toml:"megatron-deepspeed"`
		DeepSpeed         map[string]strategies.ProfileFit `toml:"deepspeed"`
		FSDP              map[string]strategies.ProfileFit `toml:"fsdp"`
		Torchtitan        map[string]strategies.ProfileFit `toml:"torchtitan"`
		Nanotron          map[string]strategies.ProfileFit `toml:"nanotron"`
	}{}
	if err := Decode(file, text, &head); err != nil {
		return nil, err
	}
	return map[string]map[string]strategies.ProfileFit{
		"megatron": head.Megatron, "megatron-deepspeed": head.MegatronDeepSpeed, "deepspeed": head.DeepSpeed,
		"fsdp": head.FSDP, "torchtitan": head.Torchtitan, "nanotron": head.Nanotron,
	}, nil
}
