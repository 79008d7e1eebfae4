// A libamdhip64.so on top of the fake driver, for tests. Its GPUs are numbered,
// without contexts.
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "fakes/c/cuda.h"
typedef struct ctx ctx; typedef struct stream stream; typedef struct event event; typedef struct graph graph; typedef struct module module;
typedef struct { unsigned char b[64]; } handle;
int cuDeviceGetCount(int *), cuDeviceGetName(char *, int, int), cuDeviceGetPCIBusId(char *, int, int), cuDeviceTotalMem_v2(size_t *, int);
int cuDeviceCanAccessPeer(int *, int, int), cuDevicePrimaryCtxRetain(ctx **, int), cuCtxSetCurrent(ctx *), cuCtxEnablePeerAccess(ctx *, unsigned);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemFree_v2(uint64_t), cuMemGetInfo_v2(size_t *, size_t *), cuCtxSynchronize(void);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpyHtoDAsync_v2(uint64_t, void *, size_t, stream *), cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, stream *);
int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, stream *), cuMemcpyPeerAsync(uint64_t, ctx *, uint64_t, ctx *, size_t, stream *);
int cuMemsetD8Async(uint64_t, unsigned char, size_t, stream *);
int cuStreamCreate(stream **, unsigned), cuStreamDestroy_v2(stream *), cuStreamQuery(stream *), cuStreamSynchronize(stream *), cuStreamWaitEvent(stream *, event *, unsigned);
int cuEventCreate(event **, unsigned), cuEventDestroy_v2(event *), cuEventRecord(event *, stream *), cuEventQuery(event *), cuEventSynchronize(event *), cuEventElapsedTime(float *, event *, event *);
int cuLaunchKernel(char *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream *, void **, void **);
int cuStreamBeginCapture_v2(stream *, int), cuStreamEndCapture(stream *, graph **), cuGraphInstantiateWithFlags(graph **, graph *, unsigned long long);
int cuGraphLaunch(graph *, stream *), cuGraphDestroy(graph *), cuGraphExecDestroy(graph *);
int cuIpcGetMemHandle(handle *, uint64_t), cuIpcOpenMemHandle_v2(uint64_t *, handle, unsigned), cuIpcCloseMemHandle(uint64_t);

int hipInit(unsigned f) { return f ? 1 : 0; }
int hipRuntimeGetVersion(int *v) { *v = 60241134; return 0; }
const char *hipGetErrorName(int e) { return e == 101 ? "hipErrorInvalidDevice" : "hipErrorFake"; }
const char *hipGetErrorString(int e) { return e == 101 ? "invalid device ordinal" : "fake error"; }
int hipGetDeviceCount(int *n) { cuDeviceGetCount(n); return *n ? 0 : 100; }
int hipDeviceGet(int *d, int i) { int n; cuDeviceGetCount(&n); if (i < 0 || i >= n) return 101; *d = i; return 0; }
static ctx *of(int d) { ctx *c; cuDevicePrimaryCtxRetain(&c, d); return c; }
int hipSetDevice(int d) { int n; cuDeviceGetCount(&n); return d < 0 || d >= n ? 101 : cuCtxSetCurrent(of(d)); }
int hipDeviceGetName(char *b, int n, int d) { return cuDeviceGetName(b, n, d); }
int hipDeviceGetPCIBusId(char *b, int n, int d) { return cuDeviceGetPCIBusId(b, n, d); }
int hipDeviceTotalMem(size_t *n, int d) { return cuDeviceTotalMem_v2(n, d); }
int hipDeviceCanAccessPeer(int *v, int a, int b) { return cuDeviceCanAccessPeer(v, a, b); }
int hipDeviceEnablePeerAccess(int d, unsigned f) { return cuCtxEnablePeerAccess(of(d), f); }
int hipDeviceSynchronize(void) { return cuCtxSynchronize(); }
int hipMemGetInfo(size_t *f, size_t *t) { return cuMemGetInfo_v2(f, t); }
int hipMalloc(void **p, size_t n) { return cuMemAlloc_v2((uint64_t *)p, n); }
int hipFree(void *p) { return cuMemFree_v2((uint64_t)p); }
int hipMemcpyHtoD(void *d, void *s, size_t n) { return cuMemcpyHtoD_v2((uint64_t)d, s, n); }
int hipMemcpyDtoH(void *d, void *s, size_t n) { return cuMemcpyDtoH_v2(d, (uint64_t)s, n); }
int hipMemcpyHtoDAsync(void *d, void *s, size_t n, stream *t) { return cuMemcpyHtoDAsync_v2((uint64_t)d, s, n, t); }
int hipMemcpyDtoHAsync(void *d, void *s, size_t n, stream *t) { return cuMemcpyDtoHAsync_v2(d, (uint64_t)s, n, t); }
int hipMemcpyDtoDAsync(void *d, void *s, size_t n, stream *t) { return cuMemcpyDtoDAsync_v2((uint64_t)d, (uint64_t)s, n, t); }
int hipMemcpyPeerAsync(void *d, int to, const void *s, int from, size_t n, stream *t) { return cuMemcpyPeerAsync((uint64_t)d, of(to), (uint64_t)s, of(from), n, t); }
int hipMemsetD8Async(void *d, unsigned char v, size_t n, stream *t) { return cuMemsetD8Async((uint64_t)d, v, n, t); }
int hipStreamCreateWithFlags(stream **s, unsigned f) { return cuStreamCreate(s, f); }
int hipStreamDestroy(stream *s) { return cuStreamDestroy_v2(s); }
int hipStreamQuery(stream *s) { return cuStreamQuery(s); }
int hipStreamSynchronize(stream *s) { return cuStreamSynchronize(s); }
int hipStreamWaitEvent(stream *s, event *e, unsigned f) { return cuStreamWaitEvent(s, e, f); }
int hipEventCreateWithFlags(event **e, unsigned f) { return cuEventCreate(e, f); }
int hipEventDestroy(event *e) { return cuEventDestroy_v2(e); }
int hipEventRecord(event *e, stream *s) { return cuEventRecord(e, s); }
int hipEventQuery(event *e) { return cuEventQuery(e); }
int hipEventSynchronize(event *e) { return cuEventSynchronize(e); }
int hipEventElapsedTime(float *ms, event *a, event *b) { return cuEventElapsedTime(ms, a, b); }
int hipModuleLoadData(char **m, const void *image) {
  if (memcmp(image, "\177ELF", 4)) return 209;
  *m = malloc(1);
  return 0;
}
int hipModuleUnload(char *m) { free(m); return 0; }
int hipModuleGetFunction(char **f, char *m, const char *name) { *f = strdup(name); return m ? 0 : 500; }
int hipModuleLaunchKernel(char *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, stream *s, void **params, void **extra) {
  return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, extra);
}
int hipStreamBeginCapture(stream *s, int mode) { return cuStreamBeginCapture_v2(s, mode); }
int hipStreamEndCapture(stream *s, graph **g) { return cuStreamEndCapture(s, g); }
int hipGraphInstantiateWithFlags(graph **x, graph *g, unsigned long long f) { return cuGraphInstantiateWithFlags(x, g, f); }
int hipGraphLaunch(graph *x, stream *s) { return cuGraphLaunch(x, s); }
int hipGraphDestroy(graph *g) { return cuGraphDestroy(g); }
int hipGraphExecDestroy(graph *x) { return cuGraphExecDestroy(x); }
int hipIpcGetMemHandle(handle *h, void *p) { return cuIpcGetMemHandle(h, (uint64_t)p); }
int hipIpcOpenMemHandle(void **p, handle h, unsigned f) { return cuIpcOpenMemHandle_v2((uint64_t *)p, h, f); }
int hipIpcCloseMemHandle(void *p) { return cuIpcCloseMemHandle((uint64_t)p); }
