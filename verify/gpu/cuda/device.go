package cuda

import (
	"bytes"
	"fmt"

	"planner/hardware/unit"
)

// Attributes of a device (CUdevice_attribute in cuda.h).
const (
	attrMultiprocessors = 16
	attrMajor           = 75
	attrMinor           = 76
)

// Device is one GPU as the driver sees it.
type Device struct {
	Ordinal         int
	Name            string
	Capability      int // 90 for sm_90
	Multiprocessors int
	Memory          unit.Bytes
	Bus             string // PCI address as sysfs spells it: 0000:18:00.0
}

// Devices lists the GPUs that the process may use.
func (d *Driver) Devices() ([]Device, error) {
	var n int32
	if err := d.check(d.deviceCount(&n), "cuDeviceGetCount"); err != nil {
		return nil, err
	}
	all := make([]Device, n)
	for i := range all {
		v, err := d.describe(i)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	return all, nil
}

func (d *Driver) describe(i int) (v Device, err error) {
	var h, major, minor, units int32
	var mem uint64
	name, bus := make([]byte, 256), make([]byte, 32)
	for _, c := range []struct {
		call string
		r    func() Result
	}{
		{"cuDeviceGet", func() Result { return d.deviceGet(&h, int32(i)) }},
		{"cuDeviceGetName", func() Result { return d.deviceName(&name[0], int32(len(name)), h) }},
		{"cuDeviceGetPCIBusId", func() Result { return d.deviceBus(&bus[0], int32(len(bus)), h) }},
		{"cuDeviceTotalMem", func() Result { return d.deviceMemory(&mem, h) }},
		{"cuDeviceGetAttribute", func() Result { return d.deviceAttr(&major, attrMajor, h) }},
		{"cuDeviceGetAttribute", func() Result { return d.deviceAttr(&minor, attrMinor, h) }},
		{"cuDeviceGetAttribute", func() Result { return d.deviceAttr(&units, attrMultiprocessors, h) }},
	} {
		if err := d.check(c.r(), c.call); err != nil {
			return v, fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	return Device{Ordinal: i, Name: text(name), Capability: int(10*major + minor), Multiprocessors: int(units),
		Memory: unit.Bytes(mem), Bus: string(bytes.ToLower([]byte(text(bus))))}, nil
}

// text returns what stands before the NUL.
func text(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}

// Reaches reports whether kernels on GPU a may read memory of GPU b.
func (d *Driver) Reaches(a, b int) (bool, error) {
	if a == b {
		return true, nil
	}
	var yes int32
	err := d.check(d.canAccess(&yes, int32(a), int32(b)), "cuDeviceCanAccessPeer")
	return yes != 0, err
}
