package nvml

import (
	"testing"
	"unsafe"

	"planner/verify/gpu/fakes"
)

// TestAgainstHeader holds every number, struct and signature against nvml.h
// where there is one.
func TestAgainstHeader(t *testing.T) {
	h := fakes.Vendor(t, "nvml.h")
	h.Want(map[string]int64{
		"NVML_ERROR_NOT_SUPPORTED": int64(notSupported), "NVML_ERROR_INSUFFICIENT_SIZE": int64(tooSmall), "NVML_CLOCK_SM": clockSM,
		"NVML_TEMPERATURE_GPU": sensorGPU, "NVML_NVLINK_MAX_LINKS": mostLinks, "NVML_FEATURE_ENABLED": 1,
		"sizeof(nvmlMemory_t)": int64(unsafe.Sizeof(memory{})), "offsetof(nvmlMemory_t, used)": int64(unsafe.Offsetof(memory{}.used)),
		"sizeof(nvmlUtilization_t)": int64(unsafe.Sizeof(utilization{})), "sizeof(nvmlPciInfo_t)": int64(unsafe.Sizeof(pci{})),
		"offsetof(nvmlPciInfo_t, busId)":     int64(unsafe.Offsetof(pci{}.id)),
		"nvmlClocksThrottleReasonSwPowerCap": 0x4, "nvmlClocksThrottleReasonHwSlowdown": 0x8,
		"nvmlClocksThrottleReasonSwThermalSlowdown": 0x20, "nvmlClocksThrottleReasonHwThermalSlowdown": 0x40,
		"nvmlClocksThrottleReasonHwPowerBrakeSlowdown": 0x80,
	})
	var tb table
	t.Logf("%d functions", h.Signatures(tb.bindings()))
}
