package worker

import (
	"os"

	"planner/verify/gpu/cuda"
)

// take takes the GPU of a rank of this machine through the driver.
func (o *Options) take(local int) (drv *cuda.Driver, g *cuda.Group, where Seat, err error) {
	if where.Host, err = os.Hostname(); err != nil {
		return nil, nil, where, err
	}
	if drv, err = o.open(); err != nil {
		return nil, nil, where, err
	}
	all, err := drv.Devices()
	if err != nil {
		return nil, nil, where, err
	}
	if g, err = cuda.NewGroup(drv, []int{o.gpu(local, len(all))}); err != nil {
		return nil, nil, where, err
	}
	where.Bus, where.GPU = g.Device(0).Bus, g.Device(0).Name
	return drv, g, where, nil
}

// gpu returns the GPU of a rank of this machine that sees some. Where a
// launcher shows every rank its own GPU only, that is number 0.
func (o *Options) gpu(local, visible int) int {
	if len(o.GPUs) > 0 {
		return o.GPUs[local%len(o.GPUs)]
	}
	return local % max(visible, 1)
}
