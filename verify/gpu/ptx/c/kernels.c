// The kernels of the CUDA and HIP back ends. One source serves three times:
// clang's NVPTX target makes kernels.ptx of it, its AMDGPU target code objects
// (see ../ptx.go and ../amd.go), and any C compiler makes a host library, in
// which one thread runs the whole grid.
//
// op_T(dst, a, b, n):  dst[i] = a[i] op b[i]; dst may be a or b.
// avg_T(dst, a, n, k): dst[i] = a[i] / k, the end of an average over k ranks.
// copy(dst, src, n):   n bytes.
// norm_T, normgrad_T:  see norms.h; adam_T: see adam.h.
//
// n counts elements. Where all pointers are equally far from a 16-byte
// boundary every access but the ends' has 16 bytes; otherwise an element. No
// pointer is restrict: clang would read through the non-coherent cache, which
// is wrong for a buffer that a peer writes. The meaning of the reductions is
// that of package planner/verify/reduce.
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short u16;
typedef unsigned char u8;
typedef u32 v4u __attribute__((vector_size(16)));

#ifdef __NVPTX__
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL __attribute__((nvptx_kernel)) void
#define FIRST ((u64)__nvvm_read_ptx_sreg_ctaid_x() * (u32)__nvvm_read_ptx_sreg_ntid_x() + (u32)__nvvm_read_ptx_sreg_tid_x())
#define STRIDE ((u64)__nvvm_read_ptx_sreg_nctaid_x() * (u32)__nvvm_read_ptx_sreg_ntid_x())
#elif defined(__AMDGCN__)
// The packet that started the grid has its sizes: work-items of a group, 16
// bits at byte 4, and of the grid, 32 bits at byte 12
// (hsa_kernel_dispatch_packet_t, HSA runtime specification 2.9.6).
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define PACKET(T, at) (*(const __attribute__((address_space(4))) T *)((const __attribute__((address_space(4))) char *)__builtin_amdgcn_dispatch_ptr() + at))
#define FIRST ((u64)__builtin_amdgcn_workgroup_id_x() * PACKET(u16, 4) + __builtin_amdgcn_workitem_id_x())
#define STRIDE ((u64)PACKET(u32, 12))
#else
#define GLOBAL
#define KERNEL void
#define FIRST 0ull
#define STRIDE 1ull
#endif

static inline float float_of(u32 u) { union { u32 u; float f; } x; x.u = u; return x.f; }
static inline u32 bits_of(float f) { union { u32 u; float f; } x; x.f = f; return x.u; }

// bf16 is the upper half of an f32; back with round to nearest even, in
// integers, since cvt.rn.bf16 needs sm_80.
static inline float from_bf16(u32 h) { return float_of(h << 16); }
static inline u32 to_bf16(float f) {
  u32 u = bits_of(f);
  return (u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
}

static inline float from_f16(u32 h) { union { u16 u; _Float16 f; } x; x.u = (u16)h; return (float)x.f; }
static inline u32 to_f16(float f) { union { u16 u; _Float16 f; } x; x.f = (_Float16)f; return x.u; }

static inline float from_f32(u32 u) { return float_of(u); }
static inline u32 to_f32(float f) { return bits_of(f); }

static inline float sum(float x, float y) { return x + y; }

// IEEE 754-2019 maximum and minimum: NaN if either is, -0 below +0.
static inline float max(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return float_of(bits_of(x) & bits_of(y));
  return x > y ? x : y;
}
static inline float min(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return float_of(bits_of(x) | bits_of(y));
  return x < y ? x : y;
}

// Words of 32 bits hold one f32 or two halves.
#define WORD_f32(f, a, b) to_f32(f(from_f32(a), from_f32(b)))
#define WORD_half(T, f, a, b) \
  (to_##T(f(from_##T((a) & 0xffffu), from_##T((b) & 0xffffu))) | to_##T(f(from_##T((a) >> 16), from_##T((b) >> 16))) << 16)
#define WORD_f16(f, a, b) WORD_half(f16, f, a, b)
#define WORD_bf16(f, a, b) WORD_half(bf16, f, a, b)

// head returns how many elements of e bytes lie before the first boundary
// that all pointers share; all n of them where they share none.
static inline u64 head(u64 d, u64 a, u64 b, u64 e, u64 n) {
  if (((d ^ a) | (d ^ b)) & 15) return n;
  u64 h = (-d & 15) / e;
  return h < n ? h : n;
}

#define BODY(E, ELEMENT, VECTOR)                                        \
  u64 first = FIRST, step = STRIDE;                                     \
  u64 h = head((u64)dst, (u64)a, (u64)b, sizeof(E), n);                 \
  u64 vecs = (n - h) * sizeof(E) / 16, rest = h + vecs * (16 / sizeof(E)); \
  GLOBAL v4u *D = (GLOBAL v4u *)(dst + h);                              \
  const GLOBAL v4u *A = (const GLOBAL v4u *)(a + h);                    \
  const GLOBAL v4u *B = (const GLOBAL v4u *)(b + h);                    \
  (void)B;                                                              \
  for (u64 i = first; i < vecs; i += step) { VECTOR; }                  \
  for (u64 i = first; i < h; i += step) { ELEMENT; }                    \
  for (u64 i = rest + first; i < n; i += step) { ELEMENT; }

#define REDUCE(T, E, f)                                                           \
  KERNEL f##_##T(GLOBAL E *dst, const GLOBAL E *a, const GLOBAL E *b, u64 n) {    \
    BODY(E, dst[i] = (E)to_##T(f(from_##T(a[i]), from_##T(b[i]))),                \
         v4u x = A[i]; v4u y = B[i]; v4u z;                                       \
         z[0] = WORD_##T(f, x[0], y[0]); z[1] = WORD_##T(f, x[1], y[1]);          \
         z[2] = WORD_##T(f, x[2], y[2]); z[3] = WORD_##T(f, x[3], y[3]); D[i] = z) \
  }

// divide takes the number of ranks, which f32 holds exactly, as second operand.
static inline float divide(float x, float k) { return x / k; }
#define AVG_WORD_f32(x, k) to_f32(divide(from_f32(x), k))
#define AVG_WORD_half(T, x, k) \
  (to_##T(divide(from_##T((x) & 0xffffu), k)) | to_##T(divide(from_##T((x) >> 16), k)) << 16)
#define AVG_WORD_f16(x, k) AVG_WORD_half(f16, x, k)
#define AVG_WORD_bf16(x, k) AVG_WORD_half(bf16, x, k)

#define AVERAGE(T, E)                                                              \
  KERNEL avg_##T(GLOBAL E *dst, const GLOBAL E *a, u64 n, u64 ranks) {             \
    const GLOBAL E *b = a;                                                         \
    float k = (float)ranks;                                                        \
    BODY(E, dst[i] = (E)to_##T(divide(from_##T(a[i]), k)),                         \
         v4u x = A[i]; v4u z;                                                      \
         z[0] = AVG_WORD_##T(x[0], k); z[1] = AVG_WORD_##T(x[1], k);               \
         z[2] = AVG_WORD_##T(x[2], k); z[3] = AVG_WORD_##T(x[3], k); D[i] = z)     \
  }

#define TYPE(T, E) REDUCE(T, E, sum) REDUCE(T, E, max) REDUCE(T, E, min) AVERAGE(T, E)

TYPE(f32, u32)
TYPE(f16, u16)
TYPE(bf16, u16)

KERNEL copy(GLOBAL u8 *dst, const GLOBAL u8 *a, u64 n) {
  const GLOBAL u8 *b = a;
  BODY(u8, dst[i] = a[i], D[i] = A[i])
}

#include "norms.h"
#include "adam.h"
