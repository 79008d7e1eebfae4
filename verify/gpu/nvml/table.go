package nvml

import (
	"unsafe"

	"planner/verify/gpu/dl"
)

type (
	device uintptr
	result int32
)

// Results (nvml.h). With tooSmall the library answers a question for the number
// of processes alone.
const (
	notSupported result = 3
	tooSmall     result = 7
)

// memory is nvmlMemory_t.
type memory struct{ total, _, used uint64 }

// utilization is nvmlUtilization_t.
type utilization struct{ gpu, _ uint32 }

// pci is nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3.
type pci struct {
	legacy                                 [16]byte
	domain, bus, device, pciDevice, pciSub uint32
	id                                     [32]byte
}

// table holds the functions, with the signatures of nvml.h.
type table struct {
	init        func() result
	shutdown    func() result
	errorString func(result) string
	driver      func(*byte, uint32) result
	count       func(*uint32) result
	byIndex     func(uint32, *device) result
	name        func(device, *byte, uint32) result
	memoryInfo  func(device, *memory) result
	pciInfo     func(device, *byte) result
	clock       func(device, int32, *uint32) result
	maxClock    func(device, int32, *uint32) result
	throttle    func(device, *uint64) result
	temperature func(device, int32, *uint32) result
	power       func(device, *uint32) result
	rates       func(device, *utilization) result
	processes   func(device, *uint32, unsafe.Pointer) result
	linkState   func(device, uint32, *uint32) result
	mig         func(device, *uint32, *uint32) result
}

func (t *table) bindings() []dl.Binding {
	b := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f} }
	newer := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f, Optional: true} }
	return []dl.Binding{
		b("nvmlInit_v2", &t.init), b("nvmlShutdown", &t.shutdown), b("nvmlErrorString", &t.errorString),
		b("nvmlSystemGetDriverVersion", &t.driver), b("nvmlDeviceGetCount_v2", &t.count),
		b("nvmlDeviceGetHandleByIndex_v2", &t.byIndex), b("nvmlDeviceGetName", &t.name),
		b("nvmlDeviceGetMemoryInfo", &t.memoryInfo), b("nvmlDeviceGetPciInfo_v3", &t.pciInfo),
		b("nvmlDeviceGetClockInfo", &t.clock), b("nvmlDeviceGetMaxClockInfo", &t.maxClock),
		b("nvmlDeviceGetCurrentClocksThrottleReasons", &t.throttle), b("nvmlDeviceGetTemperature", &t.temperature),
		b("nvmlDeviceGetPowerUsage", &t.power), b("nvmlDeviceGetUtilizationRates", &t.rates),
		newer("nvmlDeviceGetComputeRunningProcesses_v3", &t.processes), newer("nvmlDeviceGetNvLinkState", &t.linkState),
		newer("nvmlDeviceGetMigMode", &t.mig),
	}
}
