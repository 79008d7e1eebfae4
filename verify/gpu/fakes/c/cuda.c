// A libcuda.so.1 over host memory, for tests. Its streams are queues that run
// as late as they may, some far ahead of others by chance, and only
// events order them: a missing wait shows as a wrong result. It refuses what
// the driver refuses: foreign contexts, memory of a GPU without peer access,
// captures that are not joined.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx/c/kernels.c"
#include "fakes/c/cuda.h"

enum { MAXDEV = 16 };
struct ctx { int dev, peers; };
static struct ctx primary[MAXDEV];
static int devices = 2, topology = 1, initial = 0, version = 12040;
static unsigned long long state = 1;
static __thread struct ctx *current;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;
static int sticky;

// fakeReset begins anew: devices, the seed of the order, whether GPUs reach
// each other, cuInit's result, the driver's version.
void fakeReset(int n, int seed, int peer, int init, int driver) {
  devices = n; state = seed * 2654435761u + 1; topology = peer; initial = init; version = driver; sticky = 0;
  for (int i = 0; i < MAXDEV; i++) primary[i] = (struct ctx){i, 0};
}
static unsigned draw(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

static struct block { char *base; size_t size; int dev; struct block *next; } *blocks;
static struct block *owner(uint64_t p, size_t n) {
  for (struct block *b = blocks; b; b = b->next)
    if (p >= (uint64_t)b->base && p + n <= (uint64_t)b->base + b->size) return b;
  return NULL;
}
// reach tells whether a kernel on dev may touch n bytes at p.
static int reach(int dev, uint64_t p, size_t n) {
  struct block *b = owner(p, n);
  return n == 0 || (b && (b->dev == dev || primary[dev].peers >> b->dev & 1));
}

int cuInit(unsigned f) { return f ? 1 : initial; }
int cuDriverGetVersion(int *v) { *v = version; return 0; }
int cuGetErrorName(int e, const char **s) {
  *s = e == 100 ? "CUDA_ERROR_NO_DEVICE" : e == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : e == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
     : e == 904 ? "CUDA_ERROR_STREAM_CAPTURE_UNJOINED" : "CUDA_ERROR_FAKE";
  return 0;
}
int cuGetErrorString(int e, const char **s) { *s = e == 100 ? "no CUDA-capable device is detected" : "fake error"; return 0; }
int cuDeviceGetCount(int *n) { *n = devices; return 0; }
int cuDeviceGet(int *d, int i) { if (i < 0 || i >= devices) return 101; *d = i; return 0; }
int cuDeviceGetName(char *b, int n, int d) { snprintf(b, n, "Fake GPU %d", d); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = 80ull << 30; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 132 : 0; return d < 0 || d >= devices ? 101 : 0; }
int cuDeviceGetUuid_v2(unsigned char *u, int d) { memset(u, 0, 16); u[15] = d; return 0; }
int cuDeviceGetPCIBusId(char *b, int n, int d) { snprintf(b, n, "0000:%02X:00.0", 0x18 + d); return 0; }
int cuDeviceCanAccessPeer(int *v, int a, int b) { *v = topology && a != b; return 0; }
int cuDeviceGetP2PAttribute(int *v, int a, int x, int y) { *v = topology; return 0; }
int cuDevicePrimaryCtxRetain(struct ctx **c, int d) { *c = &primary[d]; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
int cuCtxSetCurrent(struct ctx *c) { current = c; return 0; }
int cuCtxEnablePeerAccess(struct ctx *c, unsigned f) {
  if (!current || f || !topology) return 217;
  if (current->peers >> c->dev & 1) return 704;
  current->peers |= 1 << c->dev;
  return 0;
}
int cuMemGetInfo_v2(size_t *f, size_t *t) { *f = 70ull << 30; *t = 80ull << 30; return current ? 0 : 201; }
int cuMemAlloc_v2(uint64_t *p, size_t n) {
  if (!current) return 201;
  if (n == 0) return 1;
  if (n > 80ull << 30) return 2;
  struct block *b = malloc(sizeof *b);
  *b = (struct block){aligned_alloc(256, (n + 255) & ~255ull), n, current->dev, NULL};
  memset(b->base, 0xa5, n < 1 << 16 ? n : 1 << 16);
  pthread_mutex_lock(&lock); b->next = blocks; blocks = b; pthread_mutex_unlock(&lock);
  *p = (uint64_t)b->base;
  return 0;
}

static int drain(struct stream *only);
int cuMemFree_v2(uint64_t p) { if (!current) return 201;
  pthread_mutex_lock(&lock);
  drain(NULL);
  int r = 1;
  for (struct block **b = &blocks; *b; b = &(*b)->next)
    if ((uint64_t)(*b)->base == p) { struct block *x = *b; *b = x->next; free(x->base); free(x); r = 0; break; }
  pthread_mutex_unlock(&lock);
  return r;
}
int cuMemcpyHtoD_v2(uint64_t d, const void *s, size_t n) { if (!current) return 201; if (!owner(d, n)) return 1; memcpy((void *)d, s, n); return 0; }
int cuMemcpyDtoH_v2(void *d, uint64_t s, size_t n) { if (!current) return 201; if (!owner(s, n)) return 1; memcpy(d, (void *)s, n); return 0; }

// enqueue puts an operation on a stream, or on the graph that it captures.
int enqueue(struct stream *s, struct op o) {
  pthread_mutex_lock(&lock);
  struct op *x = malloc(sizeof *x);
  *x = o; x->next = NULL; x->on = s;
  if (s->graph) {
    if (s->graph->n == MAXNODES) abort();
    x->before = s->last; s->last = s->graph->n;
    s->graph->nodes[s->graph->n++] = *x;
    free(x);
  } else if (s->tail) { s->tail->next = x; s->tail = x; }
  else s->head = s->tail = x;
  pthread_mutex_unlock(&lock);
  return 0;
}
int cuMemcpyDtoDAsync_v2(uint64_t d, uint64_t s, size_t n, struct stream *st) {
  if (!st || st->ctx != current) return 400;
  return enqueue(st, (struct op){.kind = COPY, .dep = -1, .arg = {d, s, n}});
}
int cuMemcpyPeerAsync(uint64_t d, struct ctx *dc, uint64_t s, struct ctx *sc, size_t n, struct stream *st) {
  struct block *a = owner(d, n), *b = owner(s, n);
  if (!a || !b || a->dev != dc->dev || b->dev != sc->dev || st->ctx != current) return 1;
  return enqueue(st, (struct op){.kind = COPY, .dep = -1, .arg = {d, s, n}});
}
int cuMemcpyHtoDAsync_v2(uint64_t d, void *s, size_t n, struct stream *st) { return enqueue(st, (struct op){.kind = COPY, .dep = -1, .arg = {d, (uint64_t)s, n}}); }
int cuMemcpyDtoHAsync_v2(void *d, uint64_t s, size_t n, struct stream *st) { return enqueue(st, (struct op){.kind = COPY, .dep = -1, .arg = {(uint64_t)d, s, n}}); }
int cuMemsetD8Async(uint64_t d, unsigned char v, size_t n, struct stream *st) { return enqueue(st, (struct op){.kind = FILL, .dep = -1, .arg = {d, v, n}}); }

int cuStreamCreate(struct stream **s, unsigned f) {
  if (!current || f != 1) return 1;
  *s = calloc(1, sizeof **s);
  (*s)->ctx = current;
  pthread_mutex_lock(&lock); (*s)->next = streams; streams = *s; pthread_mutex_unlock(&lock);
  return 0;
}
int cuStreamDestroy_v2(struct stream *s) { if (!current) return 201;
  pthread_mutex_lock(&lock);
  for (struct stream **p = &streams; *p; p = &(*p)->next) if (*p == s) { *p = s->next; break; }
  pthread_mutex_unlock(&lock);
  free(s);
  return 0;
}
int cuEventCreate(struct event **e, unsigned f) { if (!current) return 201; *e = calloc(1, sizeof **e); (*e)->ctx = current; (*e)->flags = f; return 0; }
int cuEventDestroy_v2(struct event *e) { if (!current) return 201; if (e->users-- == 0) free(e); return 0; }
int cuEventRecord(struct event *e, struct stream *s) {
  if (!current) return 201;
  if (!s || e->ctx != s->ctx) return 400;
  if (s->graph) { e->graph = s->graph; e->node = s->graph->n; return enqueue(s, (struct op){.kind = RECORD, .dep = -1}); }
  e->graph = NULL;
  return enqueue(s, (struct op){.kind = RECORD, .event = e, .seq = ++e->recorded, .dep = -1});
}
int cuStreamWaitEvent(struct stream *s, struct event *e, unsigned f) {
  if (!current) return 201;
  if (!s || !e || f) return 1;
  if (e->graph) {
    if (!s->graph) { s->graph = e->graph; s->last = -1; }
    return enqueue(s, (struct op){.kind = WAIT, .dep = e->node});
  }
  if (s->graph) return 905;
  return enqueue(s, (struct op){.kind = WAIT, .event = e, .seq = e->recorded, .dep = -1});
}

static int kernel(struct op *o) {
  uint64_t *a = o->arg;
  const char *n = o->name;
  int d = o->on->ctx->dev, e = strstr(n, "f32") ? 4 : 2;
#define DO3(f, T) if (!strcmp(n, #f)) { \
    if (!reach(d, a[0], a[3] * e) || !reach(d, a[1], a[3] * e) || !reach(d, a[2], a[3] * e)) return 700; \
    f((T *)a[0], (T *)a[1], (T *)a[2], a[3]); return 0; }
#define DO1(f, T) if (!strcmp(n, #f)) { \
    if (!reach(d, a[0], a[2] * e) || !reach(d, a[1], a[2] * e)) return 700; \
    f((T *)a[0], (T *)a[1], a[2], a[3]); return 0; }
  DO3(sum_f32, u32) DO3(max_f32, u32) DO3(min_f32, u32) DO3(sum_f16, u16) DO3(max_f16, u16) DO3(min_f16, u16)
  DO3(sum_bf16, u16) DO3(max_bf16, u16) DO3(min_bf16, u16) DO1(avg_f32, u32) DO1(avg_f16, u16) DO1(avg_bf16, u16)
#define PLACE(T) (T *)a[0], (T *)a[1], (T *)a[2]
#define NORMS(t, T) if (!strcmp(n, "norm_" #t)) { \
    if (!reach(d, a[0], a[3] * a[4] * e) || !reach(d, a[1], a[3] * a[4] * e) || !reach(d, a[2], a[4] * e)) return 700; \
    norm_##t(PLACE(T), a[3], a[4]); return 0; } \
  if (!strcmp(n, "normgrad_" #t)) { \
    if (!reach(d, a[0], a[4] * a[5] * e) || !reach(d, a[2], a[4] * a[5] * e) || !reach(d, a[3], a[5] * e)) return 700; \
    normgrad_##t(PLACE(T), (T *)a[3], a[4], a[5]); return 0; } \
  if (!strcmp(n, "adam_" #t)) { \
    if (!reach(d, a[0], a[5] * e) || !reach(d, a[1], a[5] * 4) || !reach(d, a[4], a[5] * 4)) return 700; \
    adam s; memcpy(&s, &a[6], sizeof s); \
    adam_##t((T *)a[0], (u32 *)a[1], (u32 *)a[2], (u32 *)a[3], (u32 *)a[4], a[5], s); return 0; }
  NORMS(f32, u32) NORMS(f16, u16) NORMS(bf16, u16)
  if (!strcmp(n, "copy")) { if (!reach(d, a[0], a[2]) || !reach(d, a[1], a[2])) return 700; copy((u8 *)a[0], (u8 *)a[1], a[2]); return 0; }
  return 500;
}

static int perform(struct op *o);
// replay runs a graph's nodes in a random order that its edges allow.
static int replay(struct graph *g) {
  char done[MAXNODES] = {0};
  for (int left = g->n; left > 0;) {
    int i = draw(g->n), k = 0;
    for (; k < g->n; k++, i = (i + 1) % g->n) {
      struct op *o = &g->nodes[i];
      if (!done[i] && (o->before < 0 || done[o->before]) && (o->dep < 0 || done[o->dep])) break;
    }
    if (k == g->n) abort();
    if (g->nodes[i].kind != RECORD && g->nodes[i].kind != WAIT) perform(&g->nodes[i]);
    done[i] = 1; left--;
  }
  return 1;
}
// perform tries an operation at the head of its stream: 1 when it is done.
static int perform(struct op *o) {
  switch (o->kind) {
  case COPY: memmove((void *)o->arg[0], (void *)o->arg[1], o->arg[2]); return 1;
  case FILL: memset((void *)o->arg[0], o->arg[1], o->arg[2]); return 1;
  case RECORD: if (o->seq > o->event->done) o->event->done = o->seq; return 1;
  case WAIT: return o->event->done >= o->seq;
  case LAUNCH: { int r = kernel(o); if (r) sticky = r; return 1; }
  case GRAPH: return replay(o->graph);
  case FOREIGN: return o->attempt(o->foreign);
  }
  return 0;
}
// drain runs what can run until the stream (or all) is empty; 0 if stuck.
static int drain(struct stream *only) {
  static int burst, skip; // one stream runs ahead for a while, another starves
  for (;;) {
    int n = 0, moved = 0;
    for (struct stream *s = streams; s; s = s->next) n += s->head != NULL;
    if (n == 0 || (only && !only->head)) return 1;
    if (burst-- == 0) { burst = draw(100); skip = draw(1 << 20); }
    for (int pass = 0; pass < 2 && !moved; pass++) {
      int i = 0;
      for (struct stream *s = streams; s && !moved; s = s->next) {
        if (!s->head || (pass == 0 && i++ < skip % n)) continue;
        if (perform(s->head)) {
          struct op *o = s->head;
          s->head = o->next;
          if (!s->head) s->tail = NULL;
          free(o);
          moved = 1;
        }
      }
    }
    if (!moved) return 0;
  }
}
int cuStreamQuery(struct stream *s) {
  if (!current) return 201;
  if (s->graph) return 900;
  pthread_mutex_lock(&lock);
  drain(s);
  int r = sticky ? sticky : s->head ? 600 : 0;
  pthread_mutex_unlock(&lock);
  return r;
}
int cuStreamSynchronize(struct stream *s) { int r; while ((r = cuStreamQuery(s)) == 600) sched_yield(); return r; }
int cuCtxSynchronize(void) { pthread_mutex_lock(&lock); drain(NULL); pthread_mutex_unlock(&lock); return sticky; }
int cuEventQuery(struct event *e) { pthread_mutex_lock(&lock); drain(NULL); int r = e->done >= e->recorded ? 0 : 600; pthread_mutex_unlock(&lock); return r; }
int cuEventSynchronize(struct event *e) { int r; while ((r = cuEventQuery(e)) == 600) sched_yield(); return r; }
int cuEventElapsedTime(float *ms, struct event *a, struct event *b) {
  if (!current) return 201;
  if (a->done < a->recorded || b->done < b->recorded) return 600;
  if (a->flags & 2 || b->flags & 2 || !a->recorded || !b->recorded) return 400;
  *ms = 0.5f;
  return 0;
}

struct module { char *text; };
int cuModuleLoadDataEx(struct module **m, const char *image, unsigned n, int *options, void **values) {
  if (!strstr(image, ".target sm_70")) return 218;
  *m = malloc(sizeof **m);
  (*m)->text = strdup(image);
  return 0;
}
int cuModuleUnload(struct module *m) { if (!current) return 201; free(m->text); free(m); return 0; }
int cuModuleGetFunction(char **f, struct module *m, const char *name) {
  char entry[80];
  snprintf(entry, sizeof entry, ".visible .entry %s(", name);
  if (!strstr(m->text, entry)) return 500;
  *f = strdup(name);
  return 0;
}
int cuLaunchKernel(char *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   struct stream *s, void **params, void **extra) {
  if (!s || s->ctx != current || extra || gx == 0 || bx == 0 || bx > 1024 || gy != 1 || gz != 1 || by != 1 || bz != 1 || shared) return 1;
  struct op o = {.kind = LAUNCH, .name = f, .dep = -1};
  int n = !strncmp(f, "adam", 4) || !strncmp(f, "normgrad", 8) ? 6 : !strncmp(f, "norm", 4) ? 5 : strcmp(f, "copy") ? 4 : 3;
  for (int i = 0; i < n; i++) o.arg[i] = *(uint64_t *)params[i];
  if (!strncmp(f, "adam", 4)) memcpy(&o.arg[6], params[6], sizeof(adam));
  return enqueue(s, o);
}

int cuStreamBeginCapture_v2(struct stream *s, int mode) { if (!current) return 201;
  if (s->graph || mode != 1) return 1;
  s->graph = calloc(1, sizeof *s->graph);
  s->last = -1;
  return 0;
}
static void mark(struct graph *g, int i, char *seen) {
  for (; i >= 0 && !seen[i]; i = g->nodes[i].before) {
    seen[i] = 1;
    if (g->nodes[i].kind == WAIT) mark(g, g->nodes[i].dep, seen);
  }
}
int cuStreamEndCapture(struct stream *s, struct graph **out) {
  struct graph *g = s->graph;
  char seen[MAXNODES] = {0};
  if (!g) return 401;
  mark(g, s->last, seen);
  for (struct stream *x = streams; x; x = x->next) if (x->graph == g) x->graph = NULL;
  for (int i = 0; i < g->n; i++) if (!seen[i]) return 904;
  *out = g;
  return 0;
}
int cuGraphInstantiateWithFlags(struct graph **exec, struct graph *g, unsigned long long f) {
  if (f) return 1;
  *exec = malloc(sizeof **exec);
  **exec = *g;
  return 0;
}
int cuGraphLaunch(struct graph *g, struct stream *s) { if (!current) return 201; return enqueue(s, (struct op){.kind = GRAPH, .graph = g, .dep = -1}); }
int cuGraphDestroy(struct graph *g) { free(g); return 0; }
int cuGraphExecDestroy(struct graph *g) { if (!current) return 201; free(g); return 0; }

// Handles travel by value; each byte of them is checked.
typedef struct { unsigned char b[64]; } handle;
static handle seal(uint64_t p, int salt) {
  handle h;
  for (int i = 0; i < 64; i++) h.b[i] = i * 7 + salt;
  memcpy(h.b, &p, 8);
  return h;
}
static int unseal(handle h, int salt, uint64_t *p) {
  memcpy(p, h.b, 8);
  handle want = seal(*p, salt);
  return memcmp(&h, &want, 64) ? 1 : 0;
}
int cuIpcGetMemHandle(handle *h, uint64_t p) { *h = seal(p, 3); return owner(p, 1) ? 0 : 1; }
// Processes are threads here: memory opens where it is, and an event is the
// other's own, which that destroys.
int cuIpcOpenMemHandle_v2(uint64_t *p, handle h, unsigned f) {
  if (f != 1 || !current || unseal(h, 3, p)) return 1;
  struct block *b = owner(*p, 1);
  if (!b) return 1;
  if (b->dev != current->dev && !topology) return 217;
  if (b->dev != current->dev) current->peers |= 1 << b->dev;
  return 0;
}
int cuIpcCloseMemHandle(uint64_t p) { return 0; }
int cuIpcGetEventHandle(handle *h, struct event *e) { *h = seal((uint64_t)e, 5); return (e->flags & 6) == 6 ? 0 : 1; }
int cuIpcOpenEventHandle(struct event **e, handle h) {
  if (!current || unseal(h, 5, (uint64_t *)e)) return 1;
  (*e)->users++;
  return 0;
}
