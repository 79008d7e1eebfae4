// Package amd holds the kernels of package ptx as code objects for AMD's data
// centre GPUs, which HIP loads: MI200 (gfx90a) and MI300 (gfx942). They are
// made of the same C file by Debian's clang-19 and lld-19, without ROCm.
// clang-19 has no gfx950 (MI350).
package amd

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:generate clang-19 -O3 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -ffp-contract=off -fno-ident -Wl,-s ../ptx/c/kernels.c -o gfx90a.co
//go:generate clang-19 -O3 -target amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -ffp-contract=off -fno-ident -Wl,-s ../ptx/c/kernels.c -o gfx942.co

var (
	//go:embed gfx90a.co
	mi200 []byte
	//go:embed gfx942.co
	mi300 []byte
)

// Image returns the code object for a GPU by what HIP calls its architecture,
// such as gfx942:sramecc+:xnack-. The caller must not change it.
func Image(arch string) ([]byte, error) {
	switch name, _, _ := strings.Cut(arch, ":"); name {
	case "gfx90a":
		return mi200, nil
	case "gfx942":
		return mi300, nil
	}
	return nil, fmt.Errorf("%s: no kernels for it: want gfx90a (MI200) or gfx942 (MI300), or --backend rccl", arch)
}
