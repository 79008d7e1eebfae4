// The optimizer's traffic: Adam (Kingma and Ba, arXiv 1412.6980) as mixed
// precision training keeps it, 16 bytes read and 14 or 16 written a parameter.
//
// adam_T(param, grad, master, m, v, n, step): param of type T; grad, master,
// m and v in f32. step has the learning rate, beta1, beta2, epsilon, and the
// bias corrections 1/(1-beta1^t) and 1/(1-beta2^t).
typedef struct { float rate, beta1, beta2, epsilon, fix1, fix2; } adam;

#define ADAM(T, E)                                                                                      \
  KERNEL adam_##T(GLOBAL E *param, const GLOBAL u32 *grad, GLOBAL u32 *master, GLOBAL u32 *m, GLOBAL u32 *v, u64 n, adam s) { \
    u64 first = FIRST, step = STRIDE;                                                                    \
    u64 quads = (((u64)param | (u64)grad | (u64)master | (u64)m | (u64)v) & 15) ? 0 : n / 4;             \
    for (u64 i = first; i < quads; i += step) {                                                          \
      v4u g = ((const GLOBAL v4u *)grad)[i], w = ((GLOBAL v4u *)master)[i];                              \
      v4u a = ((GLOBAL v4u *)m)[i], b = ((GLOBAL v4u *)v)[i];                                            \
      for (u32 k = 0; k < 4; k++) {                                                                      \
        float x = from_f32(g[k]), p, q, y;                                                               \
        p = s.beta1 * from_f32(a[k]) + (1 - s.beta1) * x;                                                \
        q = s.beta2 * from_f32(b[k]) + (1 - s.beta2) * (x * x);                                          \
        y = from_f32(w[k]) - s.rate * (p * s.fix1) / (ROOT(q * s.fix2) + s.epsilon);                     \
        a[k] = to_f32(p); b[k] = to_f32(q); w[k] = to_f32(y);                                            \
      }                                                                                                  \
      ((GLOBAL v4u *)master)[i] = w; ((GLOBAL v4u *)m)[i] = a; ((GLOBAL v4u *)v)[i] = b;                 \
      QUAD_##T(param, i, w);                                                                             \
    }                                                                                                    \
    for (u64 i = 4 * quads + first; i < n; i += step) {                                                  \
      float x = from_f32(grad[i]), p, q, y;                                                              \
      p = s.beta1 * from_f32(m[i]) + (1 - s.beta1) * x;                                                  \
      q = s.beta2 * from_f32(v[i]) + (1 - s.beta2) * (x * x);                                            \
      y = from_f32(master[i]) - s.rate * (p * s.fix1) / (ROOT(q * s.fix2) + s.epsilon);                  \
      m[i] = to_f32(p); v[i] = to_f32(q); master[i] = to_f32(y); param[i] = (E)to_##T(y);                \
    }                                                                                                    \
  }

typedef u32 v2u __attribute__((vector_size(8)));
#define QUAD_f32(p, i, w) (((GLOBAL v4u *)(p))[i] = (w))
#define QUAD_half(T, p, i, w)                                                                           \
  (((GLOBAL v2u *)(p))[i] = (v2u){to_##T(from_f32((w)[0])) | to_##T(from_f32((w)[1])) << 16,             \
                                  to_##T(from_f32((w)[2])) | to_##T(from_f32((w)[3])) << 16})
#define QUAD_f16(p, i, w) QUAD_half(f16, p, i, w)
#define QUAD_bf16(p, i, w) QUAD_half(bf16, p, i, w)

ADAM(f32, u32) ADAM(f16, u16) ADAM(bf16, u16)
