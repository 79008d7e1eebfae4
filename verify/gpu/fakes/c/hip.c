// A libamdhip64.so on top of the fake driver, for tests.
#include <stdint.h>
#include <stddef.h>
#include "fakes/c/cuda.h"
int cuDeviceGetCount(int *n), cuDeviceGetName(char *b, int n, int d), cuDeviceGetPCIBusId(char *b, int n, int d);
int cuDevicePrimaryCtxRetain(struct ctx **c, int d), cuCtxSetCurrent(struct ctx *c), cuMemAlloc_v2(uint64_t *p, size_t n), cuMemFree_v2(uint64_t p);
int cuMemcpyHtoD_v2(uint64_t d, const void *s, size_t n), cuMemcpyDtoH_v2(void *d, uint64_t s, size_t n);
int cuStreamCreate(struct stream **s, unsigned f), cuStreamDestroy_v2(struct stream *s), cuStreamQuery(struct stream *s);

int hipRuntimeGetVersion(int *v) { *v = 60241134; return 0; }
const char *hipGetErrorString(int e) { return e == 101 ? "invalid device ordinal" : "fake error"; }
int hipGetDeviceCount(int *n) { cuDeviceGetCount(n); return *n ? 0 : 100; }
int hipSetDevice(int d) { struct ctx *c; int n; cuDeviceGetCount(&n); if (d < 0 || d >= n) return 101; cuDevicePrimaryCtxRetain(&c, d); return cuCtxSetCurrent(c); }
int hipDeviceGetName(char *b, int n, int d) { return cuDeviceGetName(b, n, d); }
int hipDeviceGetPCIBusId(char *b, int n, int d) { return cuDeviceGetPCIBusId(b, n, d); }
int hipMalloc(void **p, size_t n) { return cuMemAlloc_v2((uint64_t *)p, n); }
int hipFree(void *p) { return cuMemFree_v2((uint64_t)p); }
int hipMemcpy(void *d, const void *s, size_t n, int kind) {
  return kind == 1 ? cuMemcpyHtoD_v2((uint64_t)d, s, n) : kind == 2 ? cuMemcpyDtoH_v2(d, (uint64_t)s, n) : 21;
}
int hipStreamCreateWithFlags(struct stream **s, unsigned f) { return cuStreamCreate(s, f); }
int hipStreamDestroy(struct stream *s) { return cuStreamDestroy_v2(s); }
int hipStreamQuery(struct stream *s) { return cuStreamQuery(s); }
