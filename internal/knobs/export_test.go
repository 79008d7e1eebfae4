package knobs

import "slices"

// Named returns a knob by its name.
func Named(name string) *Knob {
	return &all[slices.IndexFunc(all, func(k Knob) bool { return k.Name == name })]
}
