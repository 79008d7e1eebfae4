package cuda

import (
	"testing"
	"unsafe"

	"planner/verify/gpu/fakes"
)

// TestAgainstCUDAHeader holds every number and signature against NVIDIA's
// cuda.h where there is one.
func TestAgainstCUDAHeader(t *testing.T) {
	h := fakes.Vendor(t, "cuda.h")
	h.Want(map[string]int64{
		"CUDA_ERROR_NO_DEVICE": int64(noDevice), "CUDA_ERROR_NOT_READY": int64(notReady),
		"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED":       int64(peerWasEnabled),
		"CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT":     attrMultiprocessors,
		"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": attrMajor, "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": attrMinor,
		"CU_STREAM_NON_BLOCKING": streamNonBlocking, "CU_EVENT_DISABLE_TIMING": eventDisableTiming, "CU_EVENT_INTERPROCESS": eventInterprocess,
		"CU_STREAM_CAPTURE_MODE_THREAD_LOCAL": captureThreadLocal, "CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS": openLazily,
		"CU_JIT_ERROR_LOG_BUFFER": jitErrorLog, "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES": jitErrorLogSize,
		"sizeof(CUipcMemHandle)": int64(unsafe.Sizeof(IPCHandle{})), "sizeof(CUipcEventHandle)": int64(unsafe.Sizeof(IPCHandle{})),
		"sizeof(CUdeviceptr)": 8, "sizeof(CUdevice)": 4, "sizeof(CUresult)": 4,
	})
	var tb table
	t.Logf("%d functions", h.Signatures(tb.bindings()))
}

// TestAgainstHIPHeader does the same for AMD.
func TestAgainstHIPHeader(t *testing.T) {
	h := fakes.Vendor(t, "hip/hip_runtime_api.h")
	h.Want(map[string]int64{
		"hipErrorNoDevice": int64(noDevice), "hipErrorNotReady": int64(notReady), "hipErrorPeerAccessAlreadyEnabled": int64(peerWasEnabled),
		"hipErrorInvalidValue": int64(invalidValue), "hipStreamNonBlocking": streamNonBlocking, "hipEventDisableTiming": eventDisableTiming,
		"hipEventInterprocess": eventInterprocess, "hipStreamCaptureModeThreadLocal": captureThreadLocal,
		"sizeof(hipIpcMemHandle_t)": int64(unsafe.Sizeof(IPCHandle{})), "sizeof(hipIpcEventHandle_t)": int64(unsafe.Sizeof(IPCHandle{})),
		"sizeof(hipDeviceptr_t)": 8, "sizeof(hipDevice_t)": 4,
	})
	d := &Driver{hip: &hip{}}
	t.Logf("%d functions", h.Signatures(d.hip.bindings(&d.table)))
}
