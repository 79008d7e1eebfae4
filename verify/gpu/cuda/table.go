package cuda

import (
	"unsafe"

	"planner/verify/gpu/dl"
)

// Opaque handles of the driver.
type (
	ctxHandle    uintptr
	streamHandle uintptr
	eventHandle  uintptr
	moduleHandle uintptr
	kernelHandle uintptr
	graphHandle  uintptr
	execHandle   uintptr
)

// IPCHandle names memory or an event to another process of the same machine
// (CUipcMemHandle and CUipcEventHandle, which travel by value).
type IPCHandle struct{ B [64]byte }

// table holds the driver's functions, with the signatures of cuda.h. Names
// that end in _v2 are what cuda.h's macros turn the plain names into.
type table struct {
	init           func(flags uint32) Result
	driverVersion  func(*int32) Result
	errorName      func(Result, **byte) Result
	errorString    func(Result, **byte) Result
	deviceCount    func(*int32) Result
	deviceGet      func(*int32, int32) Result
	deviceName     func(*byte, int32, int32) Result
	deviceMemory   func(*uint64, int32) Result
	deviceAttr     func(*int32, int32, int32) Result
	deviceUUID     func(*byte, int32) Result
	deviceBus      func(*byte, int32, int32) Result
	canAccess      func(*int32, int32, int32) Result
	p2pAttr        func(*int32, int32, int32, int32) Result
	retain         func(*ctxHandle, int32) Result
	release        func(int32) Result
	setCurrent     func(ctxHandle) Result
	ctxSync        func() Result
	enablePeer     func(ctxHandle, uint32) Result
	memInfo        func(free, total *uint64) Result
	alloc          func(*Pointer, uint64) Result
	free           func(Pointer) Result
	toDevice       func(Pointer, unsafe.Pointer, uint64) Result
	toHost         func(unsafe.Pointer, Pointer, uint64) Result
	toDeviceAsync  func(Pointer, unsafe.Pointer, uint64, streamHandle) Result
	toHostAsync    func(unsafe.Pointer, Pointer, uint64, streamHandle) Result
	copyAsync      func(dst, src Pointer, n uint64, s streamHandle) Result
	copyPeerAsync  func(dst Pointer, dc ctxHandle, src Pointer, sc ctxHandle, n uint64, s streamHandle) Result
	setAsync       func(Pointer, uint8, uint64, streamHandle) Result
	streamCreate   func(*streamHandle, uint32) Result
	streamDestroy  func(streamHandle) Result
	streamSync     func(streamHandle) Result
	streamQuery    func(streamHandle) Result
	streamWait     func(streamHandle, eventHandle, uint32) Result
	eventCreate    func(*eventHandle, uint32) Result
	eventDestroy   func(eventHandle) Result
	eventRecord    func(eventHandle, streamHandle) Result
	eventQuery     func(eventHandle) Result
	eventSync      func(eventHandle) Result
	eventElapsed   func(*float32, eventHandle, eventHandle) Result
	moduleLoad     func(*moduleHandle, unsafe.Pointer, uint32, *int32, *uintptr) Result
	moduleUnload   func(moduleHandle) Result
	moduleFunction func(*kernelHandle, moduleHandle, string) Result
	launch         func(f kernelHandle, gx, gy, gz, bx, by, bz, shared uint32, s streamHandle, params, extra unsafe.Pointer) Result
	captureBegin   func(streamHandle, int32) Result
	captureEnd     func(streamHandle, *graphHandle) Result
	instantiate    func(*execHandle, graphHandle, uint64) Result
	graphLaunch    func(execHandle, streamHandle) Result
	graphDestroy   func(graphHandle) Result
	execDestroy    func(execHandle) Result
	ipcMem         func(*IPCHandle, Pointer) Result
	ipcOpenMem     func(*Pointer, IPCHandle, uint32) Result
	ipcCloseMem    func(Pointer) Result
	ipcEvent       func(*IPCHandle, eventHandle) Result
	ipcOpenEvent   func(*eventHandle, IPCHandle) Result
}

// bindings names every function. Graphs need CUDA 11.4 and are optional.
func (t *table) bindings() []dl.Binding {
	b := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f} }
	newer := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f, Optional: true} }
	return []dl.Binding{
		b("cuInit", &t.init), b("cuDriverGetVersion", &t.driverVersion), b("cuGetErrorName", &t.errorName),
		b("cuGetErrorString", &t.errorString), b("cuDeviceGetCount", &t.deviceCount), b("cuDeviceGet", &t.deviceGet),
		b("cuDeviceGetName", &t.deviceName), b("cuDeviceTotalMem_v2", &t.deviceMemory),
		b("cuDeviceGetAttribute", &t.deviceAttr), newer("cuDeviceGetUuid_v2", &t.deviceUUID),
		b("cuDeviceGetPCIBusId", &t.deviceBus), b("cuDeviceCanAccessPeer", &t.canAccess),
		b("cuDeviceGetP2PAttribute", &t.p2pAttr), b("cuDevicePrimaryCtxRetain", &t.retain),
		newer("cuDevicePrimaryCtxRelease_v2", &t.release), b("cuCtxSetCurrent", &t.setCurrent),
		b("cuCtxSynchronize", &t.ctxSync), b("cuCtxEnablePeerAccess", &t.enablePeer), b("cuMemGetInfo_v2", &t.memInfo),
		b("cuMemAlloc_v2", &t.alloc), b("cuMemFree_v2", &t.free), b("cuMemcpyHtoD_v2", &t.toDevice),
		b("cuMemcpyDtoH_v2", &t.toHost), b("cuMemcpyHtoDAsync_v2", &t.toDeviceAsync),
		b("cuMemcpyDtoHAsync_v2", &t.toHostAsync), b("cuMemcpyDtoDAsync_v2", &t.copyAsync),
		b("cuMemcpyPeerAsync", &t.copyPeerAsync), b("cuMemsetD8Async", &t.setAsync), b("cuStreamCreate", &t.streamCreate),
		b("cuStreamDestroy_v2", &t.streamDestroy), b("cuStreamSynchronize", &t.streamSync),
		b("cuStreamQuery", &t.streamQuery), b("cuStreamWaitEvent", &t.streamWait), b("cuEventCreate", &t.eventCreate),
		b("cuEventDestroy_v2", &t.eventDestroy), b("cuEventRecord", &t.eventRecord), b("cuEventQuery", &t.eventQuery),
		b("cuEventSynchronize", &t.eventSync), b("cuEventElapsedTime", &t.eventElapsed),
		b("cuModuleLoadDataEx", &t.moduleLoad), b("cuModuleUnload", &t.moduleUnload),
		b("cuModuleGetFunction", &t.moduleFunction), b("cuLaunchKernel", &t.launch),
		newer("cuStreamBeginCapture_v2", &t.captureBegin), newer("cuStreamEndCapture", &t.captureEnd),
		newer("cuGraphInstantiateWithFlags", &t.instantiate), newer("cuGraphLaunch", &t.graphLaunch),
		newer("cuGraphDestroy", &t.graphDestroy), newer("cuGraphExecDestroy", &t.execDestroy),
		b("cuIpcGetMemHandle", &t.ipcMem), b("cuIpcOpenMemHandle_v2", &t.ipcOpenMem),
		b("cuIpcCloseMemHandle", &t.ipcCloseMem), b("cuIpcGetEventHandle", &t.ipcEvent),
		b("cuIpcOpenEventHandle", &t.ipcOpenEvent),
	}
}
