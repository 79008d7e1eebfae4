package nccl

import (
	"testing"
	"unsafe"

	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// TestAgainstHeader holds every number, struct and signature against NCCL's
// nccl.h where there is one.
func TestAgainstHeader(t *testing.T) {
	h := fakes.Vendor(t, "nccl.h", "cuda_runtime.h")
	h.Want(map[string]int64{
		"ncclInProgress": int64(inProgress), "sizeof(ncclUniqueId)": int64(unsafe.Sizeof(ID{})),
		"ncclFloat32": int64(dtypes[reduce.F32]), "ncclFloat64": int64(dtypes[reduce.F64]), "ncclFloat16": int64(dtypes[reduce.F16]),
		"ncclBfloat16": int64(dtypes[reduce.BF16]), "ncclInt32": int64(dtypes[reduce.I32]), "ncclSum": int64(redops[reduce.Sum]),
		"ncclMax": int64(redops[reduce.Max]), "ncclMin": int64(redops[reduce.Min]), "ncclAvg": int64(redops[reduce.Avg]),
		// The header of a config has kept its place since 2.14, whose whole size the
		// library takes for what it is.
		"offsetof(ncclConfig_t, size)": 0, "offsetof(ncclConfig_t, magic)": int64(unsafe.Offsetof(config{}.magic)),
		"offsetof(ncclConfig_t, version)":  int64(unsafe.Offsetof(config{}.version)),
		"offsetof(ncclConfig_t, blocking)": int64(unsafe.Offsetof(config{}.blocking)),
		"NCCL_VERSION(2,14,0)":             int64((&Library{}).newConfig().version), "NCCL_VERSION(2,18,0)": oldest,
		"((ncclConfig_t)NCCL_CONFIG_INITIALIZER).magic":                         int64((&Library{}).newConfig().magic),
		"((ncclConfig_t)NCCL_CONFIG_INITIALIZER).size >= " + "sizeof(char[24])": 1,
	})
	var tb table
	t.Logf("%d functions", h.Signatures(tb.bindings()))
}
