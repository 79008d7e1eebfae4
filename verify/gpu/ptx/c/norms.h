// Norms over rows, by 32 lanes a row: what a layer's pointwise work is made of.
//
// norm_T(dst, x, w, rows, cols):          y = x / rms(x) · w, with
//                                         rms(x) = sqrt(mean(x²) + 1e-5)
//                                         (Zhang and Sennrich, arXiv 1910.07467)
// normgrad_T(dst, dy, x, w, rows, cols):  dx = (w·dy - x·mean(w·dy·x)/rms²)/rms
//
// A lane sums every 32nd piece of 16 bytes, or element where rows are not
// whole pieces; sums of lanes are added crosswise. The host does the same in
// the same order, so that both round alike.
enum { LANES = 32 };

#ifdef __NVPTX__
#define EACH_LANE(l) for (u32 l = (u32)__nvvm_read_ptx_sreg_tid_x() & 31, once_##l = 1; once_##l; once_##l = 0)
typedef float lanes;
#define AT(p, l) (p)
static inline float across(lanes x) {
  for (int m = 16; m; m >>= 1) x = x + __nvvm_shfl_sync_bfly_f32(0xffffffffu, x, m, 31);
  return x;
}
#define ROOT(x) __nvvm_sqrt_rn_f(x)
#elif defined(__AMDGCN__)
#define EACH_LANE(l) for (u32 l = __builtin_amdgcn_workitem_id_x() & 31, once_##l = 1; once_##l; once_##l = 0)
typedef float lanes;
#define AT(p, l) (p)
static inline float across(lanes x) {
  u32 lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  for (u32 m = 16; m; m >>= 1) x = x + float_of((u32)__builtin_amdgcn_ds_bpermute((int)((lane ^ m) * 4), (int)bits_of(x)));
  return x;
}
#define ROOT(x) __builtin_sqrtf(x)
#else
#define EACH_LANE(l) for (u32 l = 0; l < LANES; l++)
typedef struct { float at[LANES]; } lanes;
#define AT(p, l) ((p).at[l])
static inline float across(lanes x) {
  for (u32 m = 16; m; m >>= 1) {
    lanes y = x;
    for (u32 l = 0; l < LANES; l++) x.at[l] = y.at[l] + y.at[l ^ m];
  }
  return x.at[0];
}
#define ROOT(x) __builtin_sqrtf(x)
#endif

// ROWS runs over rows, all lanes of one at a time. The sizes of grids and
// blocks are multiples of 32, so that the lanes of a row are always together.
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define ROWS(r) for (u64 r = FIRST / LANES; r < rows; r += STRIDE / LANES)
#else
#define ROWS(r) for (u64 r = 0; r < rows; r++)
#endif

// Elements of a piece of 16 bytes as floats.
#define GET_f32(v, i) from_f32((v)[i])
#define GET_half(T, v, i) from_##T((i) & 1 ? (v)[(i) >> 1] >> 16 : (v)[(i) >> 1] & 0xffffu)
#define GET_f16(v, i) GET_half(f16, v, i)
#define GET_bf16(v, i) GET_half(bf16, v, i)
#define PUT_f32(v, i, f) ((v)[i] = to_f32(f))
#define PUT_half(T, v, i, f) ((v)[(i) >> 1] = (i) & 1 ? (v)[(i) >> 1] | to_##T(f) << 16 : to_##T(f))
#define PUT_f16(v, i, f) PUT_half(f16, v, i, f)
#define PUT_bf16(v, i, f) PUT_half(bf16, v, i, f)

// WIDE tells whether rows are whole pieces: pointers and rows on 16 bytes.
#define WIDE(E, bits) ((((bits) | cols * sizeof(E)) & 15) == 0)

#define NORM(T, E)                                                                                       \
  static inline float squares_##T(const GLOBAL E *x, u64 cols, int wide, u32 lane) {                      \
    float s = 0;                                                                                          \
    if (wide)                                                                                             \
      for (u64 i = lane; i < cols * sizeof(E) / 16; i += LANES) {                                         \
        v4u v = ((const GLOBAL v4u *)x)[i];                                                               \
        for (u32 k = 0; k < 16 / sizeof(E); k++) s = s + GET_##T(v, k) * GET_##T(v, k);                   \
      }                                                                                                   \
    else                                                                                                  \
      for (u64 i = lane; i < cols; i += LANES) s = s + from_##T(x[i]) * from_##T(x[i]);                   \
    return s;                                                                                             \
  }                                                                                                       \
  KERNEL norm_##T(GLOBAL E *dst, const GLOBAL E *a, const GLOBAL E *w, u64 rows, u64 cols) {              \
    int wide = WIDE(E, (u64)dst | (u64)a | (u64)w);                                                       \
    ROWS(r) {                                                                                             \
      const GLOBAL E *x = a + r * cols;                                                                   \
      GLOBAL E *y = dst + r * cols;                                                                       \
      lanes part;                                                                                         \
      EACH_LANE(l) AT(part, l) = squares_##T(x, cols, wide, l);                                           \
      float rms = ROOT(across(part) / (float)cols + 1e-5f);                                               \
      EACH_LANE(l) {                                                                                      \
        if (wide)                                                                                         \
          for (u64 i = l; i < cols * sizeof(E) / 16; i += LANES) {                                        \
            v4u v = ((const GLOBAL v4u *)x)[i], u = ((const GLOBAL v4u *)w)[i], z = {0, 0, 0, 0};         \
            for (u32 k = 0; k < 16 / sizeof(E); k++) PUT_##T(z, k, GET_##T(v, k) / rms * GET_##T(u, k));  \
            ((GLOBAL v4u *)y)[i] = z;                                                                     \
          }                                                                                               \
        else                                                                                              \
          for (u64 i = l; i < cols; i += LANES) y[i] = (E)to_##T(from_##T(x[i]) / rms * from_##T(w[i]));  \
      }                                                                                                   \
    }                                                                                                     \
  }

#define ONE_GRAD(x, dy, w) (((w) * (dy) - (x) * mean) / rms)
#define NORMGRAD(T, E)                                                                                   \
  static inline float products_##T(const GLOBAL E *dy, const GLOBAL E *x, const GLOBAL E *w, u64 cols,    \
                                   int wide, u32 lane) {                                                  \
    float s = 0;                                                                                          \
    if (wide)                                                                                             \
      for (u64 i = lane; i < cols * sizeof(E) / 16; i += LANES) {                                         \
        v4u d = ((const GLOBAL v4u *)dy)[i], v = ((const GLOBAL v4u *)x)[i], u = ((const GLOBAL v4u *)w)[i]; \
        for (u32 k = 0; k < 16 / sizeof(E); k++) s = s + GET_##T(u, k) * GET_##T(d, k) * GET_##T(v, k);   \
      }                                                                                                   \
    else                                                                                                  \
      for (u64 i = lane; i < cols; i += LANES) s = s + from_##T(w[i]) * from_##T(dy[i]) * from_##T(x[i]); \
    return s;                                                                                             \
  }                                                                                                       \
  KERNEL normgrad_##T(GLOBAL E *dst, const GLOBAL E *dy, const GLOBAL E *a, const GLOBAL E *w, u64 rows, u64 cols) { \
    int wide = WIDE(E, (u64)dst | (u64)dy | (u64)a | (u64)w);                                             \
    ROWS(r) {                                                                                             \
      const GLOBAL E *x = a + r * cols, *d = dy + r * cols;                                               \
      GLOBAL E *y = dst + r * cols;                                                                       \
      lanes part, cross;                                                                                  \
      EACH_LANE(l) AT(part, l) = squares_##T(x, cols, wide, l);                                           \
      EACH_LANE(l) AT(cross, l) = products_##T(d, x, w, cols, wide, l);                                   \
      float square = across(part) / (float)cols + 1e-5f, rms = ROOT(square);                              \
      float mean = across(cross) / (float)cols / square;                                                  \
      EACH_LANE(l) {                                                                                      \
        if (wide)                                                                                         \
          for (u64 i = l; i < cols * sizeof(E) / 16; i += LANES) {                                        \
            v4u v = ((const GLOBAL v4u *)x)[i], e = ((const GLOBAL v4u *)d)[i], u = ((const GLOBAL v4u *)w)[i]; \
            v4u z = {0, 0, 0, 0};                                                                         \
            for (u32 k = 0; k < 16 / sizeof(E); k++)                                                      \
              PUT_##T(z, k, ONE_GRAD(GET_##T(v, k), GET_##T(e, k), GET_##T(u, k)));                       \
            ((GLOBAL v4u *)y)[i] = z;                                                                     \
          }                                                                                               \
        else                                                                                              \
          for (u64 i = l; i < cols; i += LANES)                                                           \
            y[i] = (E)to_##T(ONE_GRAD(from_##T(x[i]), from_##T(d[i]), from_##T(w[i])));                   \
      }                                                                                                   \
    }                                                                                                     \
  }

NORM(f32, u32) NORM(f16, u16) NORM(bf16, u16)
NORMGRAD(f32, u32) NORMGRAD(f16, u16) NORMGRAD(bf16, u16)
