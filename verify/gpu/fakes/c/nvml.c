// A libnvidia-ml.so.1 with two GPUs, for tests; the second is old and shared,
// hot, and tells little.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct { unsigned long long total, free, used; } memory;
typedef struct { unsigned gpu, memory; } utilization;
typedef struct { char legacy[16]; unsigned domain, bus, device, pciDevice, pciSub; char id[32]; } pci;
static char gpu[2];
#define I(d) ((char *)(d) - gpu)
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int r) { return r == 3 ? "Not Supported" : "fake error"; }
int nvmlSystemGetDriverVersion(char *b, unsigned n) { snprintf(b, n, "550.54.15"); return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = &gpu[i]; return i < 2 ? 0 : 2; }
int nvmlDeviceGetName(void *d, char *b, unsigned n) { snprintf(b, n, "Fake GPU %d", (int)I(d)); return 0; }
int nvmlDeviceGetMemoryInfo(void *d, memory *m) { *m = (memory){80ull << 30, 79ull << 30, 1ull << 30}; return 0; }
int nvmlDeviceGetPciInfo_v3(void *d, pci *p) { memset(p, 0, sizeof *p); snprintf(p->id, 32, "00000000:%02X:00.0", 0x18 + (int)I(d)); return 0; }
int nvmlDeviceGetClockInfo(void *d, int t, unsigned *v) { *v = 1200; return t == 1 ? 0 : 2; }
int nvmlDeviceGetMaxClockInfo(void *d, int t, unsigned *v) { *v = 1980; return t == 1 ? 0 : 2; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v) { *v = I(d) ? 0x24 : 0x1; return 0; }
int nvmlDeviceGetTemperature(void *d, int s, unsigned *v) { *v = I(d) ? 91 : 40; return 0; }
int nvmlDeviceGetPowerUsage(void *d, unsigned *v) { *v = 350500; return I(d) ? 3 : 0; }
int nvmlDeviceGetUtilizationRates(void *d, utilization *u) { *u = (utilization){I(d) ? 97 : 0, 5}; return 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *p) { if (I(d)) { *n = 2; return 7; } *n = 0; return 0; }
int nvmlDeviceGetNvLinkState(void *d, unsigned l, unsigned *on) { *on = l < 4; return l < 6 ? 0 : 2; }
int nvmlDeviceGetMigMode(void *d, unsigned *now, unsigned *next) { *now = *next = I(d) ? 1 : 0; return 0; }
