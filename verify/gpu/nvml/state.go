package nvml

import (
	"fmt"
	"strings"
	"unsafe"

	"planner/hardware/unit"
)

// State is a GPU at one moment. What the GPU does not tell is -1, and 0 for
// Memory and Used.
type State struct {
	Index       int
	Name        string
	Bus         string // PCI address as sysfs spells it
	Memory      unit.Bytes
	Used        unit.Bytes
	ClockMHz    int // of the multiprocessors
	MaxClockMHz int
	Celsius     int
	Watts       int
	Busy        int // per cent of the last sample with a kernel on the GPU
	Processes   int // that compute on it, this one too
	NVLinks     int // that are up
	MIG         bool
	Slowed      []string // why the clocks are lower than asked
}

// Numbers of nvmlClockType_t and nvmlTemperatureSensors_t, and NVML_NVLINK_MAX_LINKS.
const (
	clockSM   = 1
	sensorGPU = 0
	mostLinks = 18
)

// slowdowns are the bits of nvmlClocksThrottleReasons that say that a GPU is
// slower than it could be; idle and the user's own settings are not.
var slowdowns = []struct {
	bit uint64
	why string
}{
	{0x4, "power cap"}, {0x8, "hardware slowdown"}, {0x20, "software thermal slowdown"},
	{0x40, "hardware thermal slowdown"}, {0x80, "hardware power brake"},
}

// States reads all GPUs.
func (l *Library) States() ([]State, error) {
	var n uint32
	if r := l.count(&n); r != 0 {
		return nil, l.fail(r, "nvmlDeviceGetCount")
	}
	all := make([]State, n)
	for i := range all {
		var d device
		if r := l.byIndex(uint32(i), &d); r != 0 {
			return nil, l.fail(r, fmt.Sprintf("nvmlDeviceGetHandleByIndex %d", i))
		}
		s, err := l.state(i, d)
		if err != nil {
			return nil, fmt.Errorf("GPU %d: %w", i, err)
		}
		all[i] = s
	}
	return all, nil
}

func (l *Library) state(i int, d device) (State, error) {
	s := State{Index: i}
	name, where := make([]byte, 96), new(pci)
	var m memory
	for call, r := range map[string]result{
		"nvmlDeviceGetName":    l.name(d, &name[0], uint32(len(name))),
		"nvmlDeviceGetPciInfo": l.pciInfo(d, (*byte)(unsafe.Pointer(where))),
	} {
		if r != 0 {
			return s, l.fail(r, call)
		}
	}
	if r := l.memoryInfo(d, &m); r != 0 && r != notSupported {
		return s, l.fail(r, "nvmlDeviceGetMemoryInfo")
	}
	s.Name, s.Bus, s.Memory, s.Used = text(name), busID(text(where.id[:])), unit.Bytes(m.total), unit.Bytes(m.used)
	l.health(d, &s)
	return s, nil
}

// health reads what not every GPU tells.
func (l *Library) health(d device, s *State) {
	num := func(f func(*uint32) result) int {
		var v uint32
		if f(&v) != 0 {
			return -1
		}
		return int(v)
	}
	s.ClockMHz = num(func(v *uint32) result { return l.clock(d, clockSM, v) })
	s.MaxClockMHz = num(func(v *uint32) result { return l.maxClock(d, clockSM, v) })
	s.Celsius = num(func(v *uint32) result { return l.temperature(d, sensorGPU, v) })
	if s.Watts = num(func(v *uint32) result { return l.power(d, v) }); s.Watts > 0 {
		s.Watts /= 1000
	}
	var u utilization
	if s.Busy = -1; l.rates(d, &u) == 0 {
		s.Busy = int(u.gpu)
	}
	s.Processes = l.running(d)
	s.NVLinks = l.links(d)
	var now, next uint32
	s.MIG = l.mig != nil && l.mig(d, &now, &next) == 0 && now == 1
	var why uint64
	if l.throttle(d, &why) == 0 {
		s.Slowed = reasons(why)
	}
}

func reasons(bits uint64) (why []string) {
	for _, s := range slowdowns {
		if bits&s.bit != 0 {
			why = append(why, s.why)
		}
	}
	return why
}

func (l *Library) running(d device) int {
	var n uint32
	if l.processes == nil {
		return -1
	}
	if r := l.processes(d, &n, nil); r != 0 && r != tooSmall {
		return -1
	}
	return int(n)
}

func (l *Library) links(d device) (up int) {
	if l.linkState == nil {
		return -1
	}
	for i := range uint32(mostLinks) {
		var on uint32
		if l.linkState(d, i, &on) == 0 && on == 1 {
			up++
		}
	}
	return up
}

// busID turns NVML's 00000000:18:00.0 into sysfs' 0000:18:00.0.
func busID(s string) string {
	s = strings.ToLower(s)
	if domain, rest, ok := strings.Cut(s, ":"); ok && len(domain) == 8 {
		return domain[4:] + ":" + rest
	}
	return s
}
