// A libnccl.so.2 on top of the fake driver, for tests, with the public
// signatures of nccl.h. A collective is done when it stands at the head of
// every member's stream; communicators are non-blocking only.
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "fakes/c/cuda.h"

typedef struct { unsigned char b[128]; } id_t128;
typedef struct { size_t size; unsigned magic, version; int blocking; } config;
enum { OK, UNHANDLED, SYSTEM, INTERNAL, ARGUMENT, USAGE, REMOTE, PROGRESS };
enum { ALLREDUCE, ALLGATHER, REDUCESCATTER, BCAST, RED, SENDS, RECVS };
enum { MOST = 64, CALLS = 1 << 16, LETTERS = 1024 };

struct part { int kind, dt, op, peer, seq, entered, done; const char *send; char *recv; size_t n; struct comm *comm; };
struct call { int arrived, done; struct part *by[MOST]; };
struct splitting { int arrived; int color[MOST], key[MOST]; struct comm **out[MOST]; };
struct world { id_t128 id; int n, joined; struct comm *member[MOST]; struct call *call[CALLS]; struct part *letter[LETTERS];
  int letters; struct splitting *split[256]; struct world *next; };
struct comm { struct world *w; int rank, seq, splits, aborted, failed; };
struct batch { int n; struct part part[4 * MOST]; };

extern pthread_mutex_t lock;
static struct world *worlds;
static int version = 22304, ids, failRank = -1, failCode;

// fakeNccl sets the version, and a rank whose communicators fail with a code.
void fakeNccl(int v, int rank, int code) { version = v; failRank = rank; failCode = code; }

int ncclGetVersion(int *v) { *v = version; return OK; }
const char *ncclGetErrorString(int r) {
  return r == OK ? "no error" : r == ARGUMENT ? "invalid argument" : r == USAGE ? "invalid usage" : r == REMOTE ? "remote process exited or there was a network error" : "fake error";
}
const char *ncclGetLastError(struct comm *c) { return "fake last error"; }
int ncclGetUniqueId(id_t128 *id) {
  for (int i = 0; i < 128; i++) id->b[i] = i * 7 + 3;
  pthread_mutex_lock(&lock); id->b[0] = ++ids; pthread_mutex_unlock(&lock);
  return OK;
}

static struct comm *join(struct world *w, int rank) {
  struct comm *c = calloc(1, sizeof *c);
  c->w = w; c->rank = rank;
  w->member[rank] = c;
  w->joined++;
  return c;
}
int ncclCommInitRankConfig(struct comm **out, int n, id_t128 id, int rank, config *cfg) {
  if (n < 1 || n > MOST || rank < 0 || rank >= n || !cfg || cfg->magic != 0xcafebeef || cfg->size != 24 || cfg->version != 21400 || cfg->blocking < 0 || cfg->blocking > 1) return ARGUMENT;
  for (int i = 1; i < 128; i++) if (id.b[i] != (unsigned char)(i * 7 + 3)) return ARGUMENT;
  pthread_mutex_lock(&lock);
  struct world *w = worlds;
  while (w && memcmp(&w->id, &id, 128)) w = w->next;
  if (!w) { w = calloc(1, sizeof *w); w->id = id; w->n = n; w->next = worlds; worlds = w; }
  int r = w->n != n || w->member[rank] ? ARGUMENT : PROGRESS;
  if (r == PROGRESS) *out = join(w, rank);
  pthread_mutex_unlock(&lock);
  if (r == PROGRESS && cfg->blocking) {
    while (__atomic_load_n(&w->joined, __ATOMIC_ACQUIRE) < n) sched_yield();
    return OK;
  }
  return r;
}
int ncclCommGetAsyncError(struct comm *c, int *e) {
  if (!c) return ARGUMENT;
  pthread_mutex_lock(&lock);
  int pending = c->w->joined < c->w->n;
  for (int i = 0; i < c->splits; i++) pending |= c->w->split[i]->arrived < c->w->n;
  *e = c->rank == failRank ? failCode : c->failed ? c->failed : pending ? PROGRESS : OK;
  pthread_mutex_unlock(&lock);
  return OK;
}
// divide makes the worlds of the colors, members by key and then rank.
static void divide(struct world *w, struct splitting *s) {
  char done[MOST] = {0};
  for (int i = 0; i < w->n; i++) {
    if (done[i]) continue;
    struct world *child = s->color[i] < 0 ? NULL : calloc(1, sizeof *child);
    for (int left = 1; left;) {
      left = 0;
      int best = -1;
      for (int j = 0; j < w->n; j++)
        if (!done[j] && s->color[j] == s->color[i] && (best < 0 || s->key[j] < s->key[best])) best = j;
      if (best >= 0) { done[best] = left = 1; *s->out[best] = child ? join(child, child->n++) : NULL; }
    }
  }
}
int ncclCommSplit(struct comm *c, int color, int key, struct comm **out, config *cfg) {
  if (!c || color < -1) return ARGUMENT;
  pthread_mutex_lock(&lock);
  struct splitting **s = &c->w->split[c->splits++];
  if (!*s) *s = calloc(1, sizeof **s);
  (*s)->color[c->rank] = color; (*s)->key[c->rank] = key; (*s)->out[c->rank] = out;
  if (++(*s)->arrived == c->w->n) divide(c->w, *s);
  struct splitting *mine = *s;
  pthread_mutex_unlock(&lock);
  if (cfg->blocking) {
    for (int done = 0; !done && !c->aborted; sched_yield()) { pthread_mutex_lock(&lock); done = mine->arrived == c->w->n; pthread_mutex_unlock(&lock); }
    return c->aborted ? REMOTE : OK;
  }
  return PROGRESS;
}
int ncclCommCount(struct comm *c, int *n) { *n = c->w->n; return OK; }
int ncclCommUserRank(struct comm *c, int *r) { *r = c->rank; return OK; }
int ncclCommFinalize(struct comm *c) { return c ? OK : ARGUMENT; }
int ncclCommDestroy(struct comm *c) { return c ? OK : ARGUMENT; }
int ncclCommAbort(struct comm *c) { if (!c) return ARGUMENT; c->aborted = 1; return OK; }

static size_t size(int dt) { return dt == 8 ? 8 : dt == 7 || dt == 2 ? 4 : dt == 6 || dt == 9 ? 2 : 0; }
void sum_f32(), max_f32(), min_f32(), sum_f16(), max_f16(), min_f16(), sum_bf16(), max_bf16(), min_bf16(), avg_f32(), avg_f16(), avg_bf16();
#define EACH(T) { T *a = acc; const T *b = in; for (size_t i = 0; i < n; i++) a[i] = op == 2 ? (a[i] > b[i] ? a[i] : b[i]) : op == 3 ? (a[i] < b[i] ? a[i] : b[i]) : a[i] + b[i]; }
static void fold(int dt, int op, void *acc, const void *in, unsigned long long n) {
  static void (*half[3][5])() = {{sum_f16, NULL, max_f16, min_f16, sum_f16}, {sum_f32, NULL, max_f32, min_f32, sum_f32}, {sum_bf16, NULL, max_bf16, min_bf16, sum_bf16}};
  if (dt == 8) EACH(double) else if (dt == 2) EACH(int)
  else half[dt == 6 ? 0 : dt == 7 ? 1 : 2][op](acc, acc, in, n);
}
static void average(int dt, void *acc, unsigned long long n, unsigned long long ranks) {
  if (dt == 8) for (size_t i = 0; i < n; i++) ((double *)acc)[i] /= ranks;
  if (dt == 2) for (size_t i = 0; i < n; i++) ((int *)acc)[i] /= (int)ranks;
  if (dt == 6) avg_f16(acc, acc, n, ranks);
  if (dt == 7) avg_f32(acc, acc, n, ranks);
  if (dt == 9) avg_bf16(acc, acc, n, ranks);
}
// finish moves the data of a collective that all members have reached.
static void finish(struct world *w, struct call *k) {
  struct part *p = k->by[0];
  size_t e = size(p->dt), n = p->kind == REDUCESCATTER ? p->n * w->n : p->n;
  for (int r = 1; r < w->n; r++) {
    struct part *q = k->by[r];
    if (q->kind != p->kind || q->n != p->n || q->dt != p->dt || q->op != p->op || q->peer != p->peer)
      for (int i = 0; i < w->n; i++) w->member[i]->failed = USAGE;
  }
  if (p->kind == ALLGATHER || p->kind == BCAST) {
    for (int r = 0; r < w->n; r++)
      for (int j = 0; j < w->n; j++)
        if (p->kind == ALLGATHER) memmove(k->by[r]->recv + j * n * e, k->by[j]->send, n * e);
        else if (j == p->peer) memmove(k->by[r]->recv, k->by[j]->send, n * e);
    return;
  }
  char *acc = malloc(n * e + 1);
  memcpy(acc, p->send, n * e);
  for (int r = 1; r < w->n; r++) fold(p->dt, p->op, acc, k->by[r]->send, n);
  if (p->op == 4) average(p->dt, acc, n, w->n);
  for (int r = 0; r < w->n; r++)
    if (p->kind == REDUCESCATTER) memcpy(k->by[r]->recv, acc + r * p->n * e, p->n * e);
    else if (p->kind == ALLREDUCE || r == p->peer) memcpy(k->by[r]->recv, acc, n * e);
  free(acc);
}
static void collective(struct part *p) {
  struct world *w = p->comm->w;
  struct call **k = &w->call[p->seq];
  if (!*k) *k = calloc(1, sizeof **k);
  if (!p->entered) {
    p->entered = 1;
    (*k)->by[p->comm->rank] = p;
    if (++(*k)->arrived == w->n) { finish(w, *k); (*k)->done = 1; }
  }
  p->done = (*k)->done;
}
static void letter(struct part *p) {
  struct world *w = p->comm->w;
  if (p->kind == SENDS) {
    if (!p->entered && w->letters < LETTERS) { w->letter[w->letters++] = p; p->entered = 1; }
    return;
  }
  for (int i = 0; i < w->letters; i++) {
    struct part *s = w->letter[i];
    if (s->comm->rank != p->peer || s->peer != p->comm->rank) continue;
    if (s->n != p->n || s->dt != p->dt) p->comm->failed = USAGE;
    else memmove(p->recv, s->send, p->n * size(p->dt));
    s->done = p->done = 1;
    memmove(&w->letter[i], &w->letter[i + 1], (--w->letters - i) * sizeof *w->letter);
    return;
  }
}
static int attempt(void *v) {
  struct batch *b = v;
  int all = 1;
  for (int i = 0; i < b->n; i++) {
    struct part *p = &b->part[i];
    if (!p->done && !p->comm->aborted) { if (p->kind < SENDS) collective(p); else letter(p); }
    all &= p->done || p->comm->aborted;
  }
  return all; // batches live on: members that are behind still look at them
}

static __thread struct batch *open;
static __thread int depth;
static __thread struct stream *target;
int ncclGroupStart(void) { if (depth++ == 0) { open = calloc(1, sizeof *open); target = NULL; } return OK; }
int ncclGroupEnd(void) {
  if (depth == 0) return USAGE;
  if (--depth || !open->n) return OK;
  return enqueue(target, (struct op){.kind = FOREIGN, .dep = -1, .attempt = attempt, .foreign = open}) ? SYSTEM : OK;
}
static int add(struct part p, struct stream *s) {
  if (!p.comm || !s || !size(p.dt) || p.op < 0 || p.op > 4 || p.peer < 0 || p.peer >= p.comm->w->n) return ARGUMENT;
  ncclGroupStart();
  target = s;
  if (p.kind < SENDS) p.seq = p.comm->seq++;
  open->part[open->n++] = p;
  return ncclGroupEnd();
}
int ncclAllReduce(const void *s, void *r, size_t n, int dt, int op, struct comm *c, struct stream *st) { return add((struct part){.kind = ALLREDUCE, .dt = dt, .op = op, .send = s, .recv = r, .n = n, .comm = c}, st); }
int ncclReduceScatter(const void *s, void *r, size_t n, int dt, int op, struct comm *c, struct stream *st) { return add((struct part){.kind = REDUCESCATTER, .dt = dt, .op = op, .send = s, .recv = r, .n = n, .comm = c}, st); }
int ncclAllGather(const void *s, void *r, size_t n, int dt, struct comm *c, struct stream *st) { return add((struct part){.kind = ALLGATHER, .dt = dt, .send = s, .recv = r, .n = n, .comm = c}, st); }
int ncclBroadcast(const void *s, void *r, size_t n, int dt, int root, struct comm *c, struct stream *st) { return add((struct part){.kind = BCAST, .dt = dt, .peer = root, .send = s, .recv = r, .n = n, .comm = c}, st); }
int ncclReduce(const void *s, void *r, size_t n, int dt, int op, int root, struct comm *c, struct stream *st) { return add((struct part){.kind = RED, .dt = dt, .op = op, .peer = root, .send = s, .recv = r, .n = n, .comm = c}, st); }
int ncclSend(const void *s, size_t n, int dt, int peer, struct comm *c, struct stream *st) { return add((struct part){.kind = SENDS, .dt = dt, .peer = peer, .send = s, .n = n, .comm = c}, st); }
int ncclRecv(void *r, size_t n, int dt, int peer, struct comm *c, struct stream *st) { return add((struct part){.kind = RECVS, .dt = dt, .peer = peer, .recv = r, .n = n, .comm = c}, st); }
