// Package dl opens the vendors' libraries while the program runs, so that
// nothing of them is needed to build it. A program that imports it is linked
// with the system's C library; see docs/GPU.md.
package dl

import (
	"fmt"
	"strings"

	"github.com/ebitengine/purego"
)

// Library is an open shared library.
type Library struct {
	Name   string // as it was found
	handle uintptr
}

// Open opens the first of names that there is. need says in the error what
// would bring it, such as "the NVIDIA driver".
func Open(need string, names ...string) (*Library, error) {
	var last error
	for _, n := range names {
		h, err := open(n)
		if err == nil {
			return &Library{n, h}, nil
		}
		last = err
	}
	return nil, fmt.Errorf("%s: cannot be loaded: want %s (%s)", strings.Join(names, ", "), need, oneLine(last))
}

func oneLine(err error) string { return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ") }

// Binding ties a C function to a pointer to a Go function of its signature.
type Binding struct {
	Name     string
	Func     any
	Optional bool // newer libraries only; Func stays nil without it
}

// Bind binds all. It fails with the first that the library lacks.
func (l *Library) Bind(all []Binding) error {
	for _, b := range all {
		addr, err := symbol(l.handle, b.Name)
		if err != nil && b.Optional {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: no function %s: too old or something else: want a newer one", l.Name, b.Name)
		}
		purego.RegisterFunc(b.Func, addr)
	}
	return nil
}
