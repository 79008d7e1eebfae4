package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"planner/verify/gpu/ptx"
)

// loaded is a GPU's context with the kernels in it, which all groups of the
// process share: compiling them takes a while.
type loaded struct {
	ctx     ctxHandle
	module  moduleHandle
	kernels map[string]kernelHandle
	users   int
	missing error // why there are no kernels
}

// hold returns a GPU with the kernels loaded. The calling thread has its
// context afterwards, and must be locked.
func (d *Driver) hold(v Device) (*loaded, error) {
	if d.image == nil && v.Capability < oldestCapability {
		return nil, fmt.Errorf("compute capability %d.%d: too old: want 7.0 (V100) or newer", v.Capability/10, v.Capability%10)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if x := d.gpus[v.Ordinal]; x != nil {
		x.users++
		return x, nil
	}
	x := &loaded{kernels: map[string]kernelHandle{}, users: 1}
	if err := d.check(d.retain(&x.ctx, int32(v.Ordinal)), "cuDevicePrimaryCtxRetain"); err != nil {
		return nil, err
	}
	err := d.check(d.setCurrent(x.ctx), "cuCtxSetCurrent")
	if err == nil {
		err = d.load(x, v)
	}
	if err != nil {
		return nil, errors.Join(err, d.unload(v.Ordinal, x))
	}
	if d.gpus == nil {
		d.gpus = map[int]*loaded{}
	}
	d.gpus[v.Ordinal] = x
	return x, nil
}

// let gives a GPU back, whose context the thread has.
func (d *Driver) let(ordinal int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.gpus[ordinal]
	if x.users--; x.users > 0 {
		return nil
	}
	delete(d.gpus, ordinal)
	return d.unload(ordinal, x)
}

func (d *Driver) unload(ordinal int, x *loaded) (err error) {
	if x.module != 0 {
		err = d.check(d.moduleUnload(x.module), "cuModuleUnload")
	}
	if d.release != nil {
		err = errors.Join(err, d.check(d.release(int32(ordinal)), "cuDevicePrimaryCtxRelease"))
	}
	return err
}

// Options of cuModuleLoadDataEx (CUjit_option).
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// load loads the kernels into the current context.
func (d *Driver) load(x *loaded, v Device) error {
	image, log := ptx.Image(), make([]byte, 8192)
	if d.image != nil {
		var err error
		if image, err = d.image(v); err != nil {
			x.missing = fmt.Errorf("kernels: %w", err)
			return nil // memory and streams are there for others' calls
		}
	}
	var pin runtime.Pinner // the driver writes where values says, which Go must not move
	pin.Pin(&log[0])
	defer pin.Unpin()
	options := [2]int32{jitErrorLog, jitErrorLogSize}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	r := d.moduleLoad(&x.module, unsafe.Pointer(&image[0]), 2, &options[0], &values[0])
	if err := d.check(r, "cuModuleLoadDataEx"); err != nil {
		return fmt.Errorf("%w: %s", err, text(log))
	}
	for _, name := range ptx.Entries() {
		var k kernelHandle
		if err := d.check(d.moduleFunction(&k, x.module, name), "cuModuleGetFunction "+name); err != nil {
			return err
		}
		x.kernels[name] = k
	}
	return nil
}
