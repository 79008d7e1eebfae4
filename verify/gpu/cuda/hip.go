package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"planner/verify/gpu/amd"
	"planner/verify/gpu/dl"
)

// hip holds the functions of AMD's HIP that differ from the driver's, with the
// signatures of hip_runtime_api.h. The others differ by name alone: errors,
// events and flags have CUDA's numbers.
type hip struct {
	version    func(*int32) Result
	errorName  func(Result) *byte
	errorText  func(Result) *byte
	set        func(int32) Result
	enablePeer func(int32, uint32) Result
	load       func(*moduleHandle, unsafe.Pointer) Result
	copyPeer   func(dst Pointer, to int32, src Pointer, from int32, n uint64, s streamHandle) Result
	sync       func() Result
	ipcOpenMem func(*Pointer, IPCHandle, uint32) Result
}

func (h *hip) bindings(t *table) []dl.Binding {
	b := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f} }
	newer := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f, Optional: true} }
	return []dl.Binding{
		b("hipRuntimeGetVersion", &h.version), b("hipGetErrorName", &h.errorName), b("hipGetErrorString", &h.errorText),
		b("hipSetDevice", &h.set), b("hipDeviceEnablePeerAccess", &h.enablePeer), b("hipModuleLoadData", &h.load),
		b("hipMemcpyPeerAsync", &h.copyPeer), b("hipDeviceSynchronize", &h.sync),
		b("hipInit", &t.init), b("hipGetDeviceCount", &t.deviceCount), b("hipDeviceGet", &t.deviceGet),
		b("hipDeviceGetName", &t.deviceName), b("hipDeviceTotalMem", &t.deviceMemory), b("hipDeviceGetPCIBusId", &t.deviceBus),
		b("hipDeviceCanAccessPeer", &t.canAccess), b("hipMemGetInfo", &t.memInfo), b("hipMalloc", &t.alloc), b("hipFree", &t.free),
		b("hipMemcpyHtoD", &t.toDevice), b("hipMemcpyDtoH", &t.toHost), b("hipMemcpyHtoDAsync", &t.toDeviceAsync),
		b("hipMemcpyDtoHAsync", &t.toHostAsync), b("hipMemcpyDtoDAsync", &t.copyAsync), b("hipMemsetD8Async", &t.setAsync),
		b("hipStreamCreateWithFlags", &t.streamCreate), b("hipStreamDestroy", &t.streamDestroy),
		b("hipStreamSynchronize", &t.streamSync), b("hipStreamQuery", &t.streamQuery), b("hipStreamWaitEvent", &t.streamWait),
		b("hipEventCreateWithFlags", &t.eventCreate), b("hipEventDestroy", &t.eventDestroy), b("hipEventRecord", &t.eventRecord),
		b("hipEventQuery", &t.eventQuery), b("hipEventSynchronize", &t.eventSync), b("hipEventElapsedTime", &t.eventElapsed),
		b("hipModuleUnload", &t.moduleUnload), b("hipModuleGetFunction", &t.moduleFunction), b("hipModuleLaunchKernel", &t.launch),
		newer("hipStreamBeginCapture", &t.captureBegin), newer("hipStreamEndCapture", &t.captureEnd),
		newer("hipGraphInstantiateWithFlags", &t.instantiate), newer("hipGraphLaunch", &t.graphLaunch),
		newer("hipGraphDestroy", &t.graphDestroy), newer("hipGraphExecDestroy", &t.execDestroy),
		b("hipIpcGetMemHandle", &t.ipcMem), b("hipIpcOpenMemHandle", &h.ipcOpenMem), b("hipIpcCloseMemHandle", &t.ipcCloseMem),
		newer("hipIpcGetEventHandle", &t.ipcEvent), newer("hipIpcOpenEventHandle", &t.ipcOpenEvent),
	}
}

// OpenHIP opens HIP of ROCm 5 to 7, or the first of paths, as a driver. It
// fails, in one line, where there is none or it sees no GPU.
func OpenHIP(paths ...string) (*Driver, error) {
	if len(paths) == 0 {
		paths = []string{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}
	}
	lib, err := dl.Open("HIP, as ROCm brings it", paths...)
	if err != nil {
		return nil, err
	}
	h := &hip{}
	d := &Driver{Path: lib.Name, hip: h, image: amdImage}
	if err := lib.Bind(h.bindings(&d.table)); err != nil {
		return nil, err
	}
	d.adapt()
	var v, n int32
	if err := d.check(h.version(&v), "hipRuntimeGetVersion"); err != nil {
		return nil, err
	}
	d.Version = int(v)
	if r := d.deviceCount(&n); r == noDevice || r == success && n == 0 {
		return nil, fmt.Errorf("%s: HIP sees no GPU: want one, and HIP_VISIBLE_DEVICES not empty", lib.Name)
	} else if err := d.check(r, "hipGetDeviceCount"); err != nil {
		return nil, err
	}
	return d, nil
}

// adapt fills in what HIP has otherwise. It has no contexts: a handle is the
// number of a GPU and one.
func (d *Driver) adapt() {
	h, t := d.hip, &d.table
	gpu := func(c ctxHandle) int32 { return int32(c) - 1 }
	named := func(f func(Result) *byte) func(Result, **byte) Result {
		return func(r Result, p **byte) Result { *p = f(r); return success }
	}
	t.errorName, t.errorString = named(h.errorName), named(h.errorText)
	t.retain = func(c *ctxHandle, i int32) Result { *c = ctxHandle(i + 1); return success }
	t.setCurrent = func(c ctxHandle) Result { return h.set(gpu(c)) }
	t.ctxSync = h.sync
	t.enablePeer = func(c ctxHandle, flags uint32) Result { return h.enablePeer(gpu(c), flags) }
	t.copyPeerAsync = func(dst Pointer, dc ctxHandle, src Pointer, sc ctxHandle, n uint64, s streamHandle) Result {
		return h.copyPeer(dst, gpu(dc), src, gpu(sc), n, s)
	}
	t.moduleLoad = func(m *moduleHandle, image unsafe.Pointer, _ uint32, _ *int32, _ *uintptr) Result {
		return h.load(m, image)
	}
	t.ipcOpenMem = func(p *Pointer, x IPCHandle, _ uint32) Result {
		// ROCm 5 has 0 for hipIpcMemLazyEnablePeerAccess, ROCm 6 has 1.
		if r := h.ipcOpenMem(p, x, 0); r != invalidValue {
			return r
		}
		return h.ipcOpenMem(p, x, openLazily)
	}
	// What HIP numbers otherwise from release to release is read from the kernel.
	t.deviceAttr = func(v *int32, attr, i int32) Result {
		if attr != attrMultiprocessors {
			return success // no compute capability
		}
		var bus [32]byte
		if r := t.deviceBus(&bus[0], int32(len(bus)), i); r != success {
			return r
		}
		*v = int32(readNode(sysfs, text(bus[:])).units)
		return success
	}
}

// invalidValue is hipErrorInvalidValue.
const invalidValue Result = 1

// sysfs is where the kernel tells of GPUs.
var sysfs = "/sys"

// amdImage returns the kernels for an AMD GPU.
func amdImage(v Device) ([]byte, error) {
	n := readNode(sysfs, v.Bus)
	if n.arch == "" {
		return nil, errors.New("the kernel does not tell its architecture: want /sys/class/kfd of amdgpu, or --backend rccl")
	}
	return amd.Image(n.arch)
}

// kfdNode is a GPU as amdgpu's compute driver describes it
// (drivers/gpu/drm/amd/amdkfd/kfd_topology.c).
type kfdNode struct {
	arch  string // gfx942
	units int    // compute units
}

// fallbackUnits is for grids where the kernel tells nothing: MI200's.
const fallbackUnits = 104

// readNode finds a GPU by its PCI address.
func readNode(root, bus string) kfdNode {
	out := kfdNode{units: fallbackUnits}
	files, _ := filepath.Glob(filepath.Join(root, "class/kfd/kfd/topology/nodes/*/properties"))
	for _, f := range files {
		p := properties(f)
		if p["simd_count"] == 0 || location(p) != strings.ToLower(bus) {
			continue
		}
		if per := p["simd_per_cu"]; per > 0 {
			out.units = p["simd_count"] / per
		}
		v := p["gfx_target_version"] // 90402: major 9, minor 4, stepping 2
		out.arch = fmt.Sprintf("gfx%d%x%x", v/10000, v/100%100, v%100)
		return out
	}
	return out
}

// location is the PCI address of a node: bus in bits 8 to 15, device and
// function below.
func location(p map[string]int) string {
	l := p["location_id"]
	return fmt.Sprintf("%04x:%02x:%02x.%d", p["domain"], l>>8&0xff, l>>3&0x1f, l&7)
}

// properties reads lines of a name and a number.
func properties(file string) map[string]int {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	out := map[string]int{}
	for line := range bytes.Lines(text) {
		if f := strings.Fields(string(line)); len(f) == 2 {
			out[f[0]], _ = strconv.Atoi(f[1])
		}
	}
	return out
}

// Title names the driver and its version.
func (d *Driver) Title() string {
	if d.hip != nil {
		return fmt.Sprintf("HIP %d.%d", d.Version/10_000_000, d.Version/100_000%100)
	}
	return fmt.Sprintf("driver of CUDA %d.%d", d.Version/1000, d.Version%1000/10)
}
