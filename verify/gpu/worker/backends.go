package worker

import (
	"fmt"

	"planner/verify/gpu/cuda"
	"planner/verify/gpu/nccl"
	"planner/verify/gpu/start"
)

// Libraries are paths of libraries that the system does not find.
type Libraries struct{ CUDA, NCCL, HIP, RCCL string }

// Backendable looks for what each back end needs, best first.
func Backendable(l Libraries) []start.Found {
	drv, err := cuda.Open(paths(l.CUDA)...)
	amd, noHIP := cuda.OpenHIP(paths(l.HIP)...)
	return []start.Found{
		library(nccl.NCCL, drv, err, l.NCCL),
		found(start.Found{Backend: string(CUDA)}, drv, err),
		library(nccl.RCCL, amd, noHIP, l.RCCL),
		found(start.Found{Backend: string(HIP)}, amd, noHIP),
	}
}

// found fills in the GPUs that a driver sees.
func found(f start.Found, d *cuda.Driver, err error) start.Found {
	if err != nil {
		f.What = err.Error()
		return f
	}
	all, err := d.Devices()
	if err != nil {
		f.What = err.Error()
		return f
	}
	f.Ready, f.GPUs, f.What = len(all) > 0, len(all), d.Title()
	for _, v := range all {
		if f.Name == "" {
			f.Name = v.Name
		}
		f.Mixed = f.Mixed || v.Name != f.Name
	}
	return f
}

func library(k nccl.Kind, d *cuda.Driver, err error, path string) start.Found {
	f := found(start.Found{Backend: k.String()}, d, err)
	if !f.Ready {
		return f
	}
	lib, err := nccl.Open(k, paths(path)...)
	if err != nil {
		f.Ready, f.What = false, err.Error()
		return f
	}
	f.What = fmt.Sprintf("%s, %s", lib.Title(), f.What)
	return f
}
