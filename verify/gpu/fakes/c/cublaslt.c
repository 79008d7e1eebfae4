// A libcublasLt.so on top of the fake driver, for tests: D = op(A)·op(B),
// column-major, accumulated in f32.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "fakes/c/cuda.h"

typedef struct { int compute, scale, transa, transb; } desc;
typedef struct { int type; uint64_t rows, cols; int64_t ld; } layout;
typedef struct { uint64_t data[8]; } algo;
typedef struct { algo algo; size_t workspace; int state; float waves; int reserved[4]; } heuristic;
typedef struct { size_t workspace; } preference;
struct work { desc d; layout a, b, c; const void *A, *B; void *D; float alpha; };

size_t cublasLtGetVersion(void) { return 120500; }
const char *cublasLtGetStatusString(int s) { return s == 7 ? "the function was given a wrong value" : s == 15 ? "not supported" : "fake status"; }
int cublasLtCreate(void **h) { *h = malloc(1); return 0; }
int cublasLtDestroy(void *h) { free(h); return 0; }
int cublasLtMatmulDescCreate(desc **d, int compute, int scale) { *d = calloc(1, sizeof **d); (*d)->compute = compute; (*d)->scale = scale; return compute == 68 && scale == 0 ? 0 : 15; }
int cublasLtMatmulDescDestroy(desc *d) { free(d); return 0; }
int cublasLtMatmulDescSetAttribute(desc *d, int attr, const int *v, size_t n) {
  if (n != 4) return 7;
  if (attr == 3) d->transa = *v; else if (attr == 4) d->transb = *v; else return 7;
  return 0;
}
int cublasLtMatrixLayoutCreate(layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld) { *l = malloc(sizeof **l); **l = (layout){type, rows, cols, ld}; return 0; }
int cublasLtMatrixLayoutDestroy(layout *l) { free(l); return 0; }
int cublasLtMatmulPreferenceCreate(preference **p) { *p = calloc(1, sizeof **p); return 0; }
int cublasLtMatmulPreferenceDestroy(preference *p) { free(p); return 0; }
int cublasLtMatmulPreferenceSetAttribute(preference *p, int attr, const size_t *v, size_t n) { if (attr != 1 || n != 8) return 7; p->workspace = *v; return 0; }
int cublasLtMatmulAlgoGetHeuristic(void *h, desc *d, layout *a, layout *b, layout *c, layout *dd, preference *p, int want, heuristic *out, int *got) {
  if (want != 1 || p->workspace == 0) return 7;
  memset(out, 0, sizeof *out);
  out->algo.data[7] = 0x5a; out->workspace = 4096;
  *got = a->rows % 8 == 0;
  return 0;
}
static float widen(int t, const void *p, size_t i) {
  if (t == 0) return ((const float *)p)[i];
  if (t == 2) return (float)((const _Float16 *)p)[i];
  uint32_t u = (uint32_t)((const uint16_t *)p)[i] << 16; float f; memcpy(&f, &u, 4); return f;
}
static void narrow(int t, void *p, size_t i, float f) {
  if (t == 0) ((float *)p)[i] = f;
  else if (t == 2) ((_Float16 *)p)[i] = (_Float16)f;
  else { uint32_t u; memcpy(&u, &f, 4); ((uint16_t *)p)[i] = (u + 0x7fff + (u >> 16 & 1)) >> 16; }
}
static int multiply(void *v) {
  struct work *w = v;
  for (uint64_t i = 0; i < w->c.rows; i++)
    for (uint64_t j = 0; j < w->c.cols; j++) {
      float s = 0;
      for (uint64_t k = 0; k < (w->d.transb ? w->b.cols : w->b.rows); k++)
        s += widen(w->a.type, w->A, w->d.transa ? k + i * w->a.ld : i + k * w->a.ld) *
             widen(w->b.type, w->B, w->d.transb ? j + k * w->b.ld : k + j * w->b.ld);
      narrow(w->c.type, w->D, i + j * w->c.ld, w->alpha * s);
    }
  free(w);
  return 1;
}
int cublasLtMatmul(void *h, desc *d, const float *alpha, const void *A, layout *a, const void *B, layout *b, const float *beta,
                   const void *C, layout *c, void *D, layout *dd, const algo *al, void *ws, size_t n, struct stream *s) {
  if (!h || !s || *beta != 0 || C != D || al->data[7] != 0x5a || n < 4096 || !ws) return 7;
  uint64_t m = d->transa ? a->cols : a->rows, ka = d->transa ? a->rows : a->cols, n2 = d->transb ? b->rows : b->cols, kb = d->transb ? b->cols : b->rows;
  if (ka != kb || m != dd->rows || n2 != dd->cols || c->rows != dd->rows || a->ld < (int64_t)a->rows || b->ld < (int64_t)b->rows) return 7;
  struct work *w = malloc(sizeof *w);
  *w = (struct work){*d, *a, *b, *dd, A, B, D, *alpha};
  return enqueue(s, (struct op){.kind = FOREIGN, .dep = -1, .attempt = multiply, .foreign = w});
}
