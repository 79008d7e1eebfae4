// A libhipblaslt.so on top of the fake of cuBLASLt, for tests, with its own
// numbers and its shorter algorithms.
#include <stdint.h>
#include <string.h>
#include "fakes/c/cuda.h"
typedef struct { uint8_t data[16]; size_t most; } algo;
typedef struct { algo algo; size_t workspace; int state; float waves; int reserved[4]; } heuristic;
typedef struct { uint64_t data[8]; } longer;
typedef struct { longer algo; size_t workspace; int state; float waves; int reserved[4]; } other;
int cublasLtCreate(void **), cublasLtDestroy(void *), cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescDestroy(void *), cublasLtMatmulDescSetAttribute(void *, int, const int *, size_t);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t), cublasLtMatrixLayoutDestroy(void *);
int cublasLtMatmulPreferenceCreate(void **), cublasLtMatmulPreferenceDestroy(void *), cublasLtMatmulPreferenceSetAttribute(void *, int, const size_t *, size_t);
int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *, void *, void *, int, other *, int *);
int cublasLtMatmul(void *, void *, const float *, const void *, void *, const void *, void *, const float *, const void *, void *, void *, void *, const longer *, void *, size_t, struct stream *);

int hipblasLtGetVersion(void *h, int *v) { *v = 1000; return h ? 0 : 1; }
int hipblasLtCreate(void **h) { return cublasLtCreate(h); }
int hipblasLtDestroy(void *h) { return cublasLtDestroy(h); }
int hipblasLtMatmulDescCreate(void **d, int compute, int scale) { return compute != 2 ? 3 : cublasLtMatmulDescCreate(d, 68, scale); }
int hipblasLtMatmulDescDestroy(void *d) { return cublasLtMatmulDescDestroy(d); }
int hipblasLtMatmulDescSetAttribute(void *d, int attr, const int *v, size_t n) {
  int op = *v == 112;
  return attr > 1 || (*v != 111 && *v != 112) ? 3 : cublasLtMatmulDescSetAttribute(d, attr + 3, &op, n);
}
int hipblasLtMatrixLayoutCreate(void **l, int t, uint64_t r, uint64_t c, int64_t ld) { return cublasLtMatrixLayoutCreate(l, t, r, c, ld); }
int hipblasLtMatrixLayoutDestroy(void *l) { return cublasLtMatrixLayoutDestroy(l); }
int hipblasLtMatmulPreferenceCreate(void **p) { return cublasLtMatmulPreferenceCreate(p); }
int hipblasLtMatmulPreferenceDestroy(void *p) { return cublasLtMatmulPreferenceDestroy(p); }
int hipblasLtMatmulPreferenceSetAttribute(void *p, int attr, const size_t *v, size_t n) { return cublasLtMatmulPreferenceSetAttribute(p, attr, v, n); }
int hipblasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c, void *dd, void *p, int want, heuristic *out, int *got) {
  other o;
  int r = cublasLtMatmulAlgoGetHeuristic(h, d, a, b, c, dd, p, want, &o, got);
  memset(out, 0, sizeof *out);
  out->algo.data[15] = 0x5b;
  out->workspace = o.workspace;
  return r;
}
int hipblasLtMatmul(void *h, void *d, const float *alpha, const void *A, void *a, const void *B, void *b, const float *beta, const void *C, void *c, void *D,
                    void *dd, const algo *al, void *ws, size_t n, struct stream *s) {
  longer l = {{0}};
  l.data[7] = 0x5a;
  return al->data[15] != 0x5b ? 3 : cublasLtMatmul(h, d, alpha, A, a, B, b, beta, C, c, D, dd, &l, ws, n, s);
}
