#include "textflag.h"

// Every kernel computes n bytes (a multiple of 32) of dst = a op b, unaligned,
// 128 at a time and then 32 at a time. AX is the offset.
#define KERNEL(STEP) \
	MOVQ dst+0(FP), DI  \
	MOVQ a+8(FP), SI    \
	MOVQ b+16(FP), DX   \
	MOVQ n+24(FP), CX   \
	XORQ AX, AX         \
	SUBQ $128, CX       \
	JLT  rest           \
	PCALIGN $32         \
loop:                   \
	STEP(0)             \
	STEP(32)            \
	STEP(64)            \
	STEP(96)            \
	ADDQ $128, AX       \
	SUBQ $128, CX       \
	JGE  loop           \
rest:                   \
	ADDQ $96, CX        \
	JLT  done           \
last:                   \
	STEP(0)             \
	ADDQ $32, AX        \
	SUBQ $32, CX        \
	JGE  last           \
done:                   \
	VZEROUPPER          \
	RET

#define LOAD(o) VMOVUPS o(SI)(AX*1), Y0; VMOVUPS o(DX)(AX*1), Y1;
#define STORE(o) VMOVUPS Y0, o(DI)(AX*1);

// VMAX and VMIN return their second operand when either is NaN or both are
// zero. Taking both orders and joining the bits orders the zeros (the sign of
// a maximum needs both signs, of a minimum either); a mask of all ones makes
// every unordered lane NaN.
#define MAXPS(x, y) VMAXPS x, y, Y2; VMAXPS y, x, Y3; VCMPPS $3, x, y, Y4; VANDPS Y2, Y3, x; VORPS Y4, x, x;
#define MINPS(x, y) VMINPS x, y, Y2; VMINPS y, x, Y3; VCMPPS $3, x, y, Y4; VORPS Y2, Y3, x; VORPS Y4, x, x;
#define MAXPD(x, y) VMAXPD x, y, Y2; VMAXPD y, x, Y3; VCMPPD $3, x, y, Y4; VANDPD Y2, Y3, x; VORPD Y4, x, x;
#define MINPD(x, y) VMINPD x, y, Y2; VMINPD y, x, Y3; VCMPPD $3, x, y, Y4; VORPD Y2, Y3, x; VORPD Y4, x, x;
#define ADDPS(x, y) VADDPS y, x, x;

#define SUMF32(o) VMOVUPS o(SI)(AX*1), Y0; VADDPS o(DX)(AX*1), Y0, Y0; STORE(o)
#define MAXF32(o) LOAD(o) MAXPS(Y0, Y1) STORE(o)
#define MINF32(o) LOAD(o) MINPS(Y0, Y1) STORE(o)
#define SUMF64(o) VMOVUPD o(SI)(AX*1), Y0; VADDPD o(DX)(AX*1), Y0, Y0; STORE(o)
#define MAXF64(o) LOAD(o) MAXPD(Y0, Y1) STORE(o)
#define MINF64(o) LOAD(o) MINPD(Y0, Y1) STORE(o)
#define SUMI32(o) VMOVDQU o(SI)(AX*1), Y0; VPADDD o(DX)(AX*1), Y0, Y0; STORE(o)
#define MAXI32(o) VMOVDQU o(SI)(AX*1), Y0; VPMAXSD o(DX)(AX*1), Y0, Y0; STORE(o)
#define MINI32(o) VMOVDQU o(SI)(AX*1), Y0; VPMINSD o(DX)(AX*1), Y0, Y0; STORE(o)

// f16: two halves of eight are widened, computed and rounded by F16C.
#define HALF(o, OP) VCVTPH2PS o(SI)(AX*1), Y0; VCVTPH2PS o(DX)(AX*1), Y1; OP(Y0, Y1) VCVTPS2PH $0, Y0, X5;
#define F16(o, OP) \
	HALF(o, OP)                \
	VCVTPH2PS (16+o)(SI)(AX*1), Y0 \
	VCVTPH2PS (16+o)(DX)(AX*1), Y1 \
	OP(Y0, Y1)                 \
	VCVTPS2PH $0, Y0, X6       \
	VMOVUPS X5, o(DI)(AX*1)    \
	VMOVUPS X6, (16+o)(DI)(AX*1)
#define SUMF16(o) F16(o, ADDPS)
#define MAXF16(o) F16(o, MAXPS)
#define MINF16(o) F16(o, MINPS)

// bf16: a 32-bit lane holds an even and an odd element. The odd ones are an
// f32 after masking, the even ones after a shift; Y15 = 0xffff0000.
#define WIDEN(o) \
	LOAD(o)            \
	VPSLLD $16, Y0, Y6 \
	VPSLLD $16, Y1, Y7 \
	VPAND Y15, Y0, Y0  \
	VPAND Y15, Y1, Y1

// Nearest even: add 0x7fff (Y14) and the lowest kept bit (Y13 = 1). A NaN has
// 16 zero bits below, from its operand or as the processor's default, so the
// sum does not reach its upper half.
#define ROUND(x) VPSRLD $16, x, Y2; VPAND Y13, Y2, Y2; VPADDD Y14, x, x; VPADDD Y2, x, x;
#define NARROW(o) VPSRLD $16, Y6, Y6; VPBLENDW $0xaa, Y0, Y6, Y0; STORE(o)

#define SUMBF16(o) WIDEN(o); ADDPS(Y0, Y1) ADDPS(Y6, Y7) ROUND(Y0) ROUND(Y6) NARROW(o)
#define MAXBF16(o) WIDEN(o); MAXPS(Y0, Y1) MAXPS(Y6, Y7) NARROW(o)
#define MINBF16(o) WIDEN(o); MINPS(Y0, Y1) MINPS(Y6, Y7) NARROW(o)

#define CONSTANTS \
	VPCMPEQD Y15, Y15, Y15 \
	VPSRLD $31, Y15, Y13   \
	VPSRLD $17, Y15, Y14   \
	VPSLLD $16, Y15, Y15

// func sumF32(dst, a, b *byte, n int)
TEXT ·sumF32(SB), NOSPLIT, $0-32
	KERNEL(SUMF32)

// func maxF32(dst, a, b *byte, n int)
TEXT ·maxF32(SB), NOSPLIT, $0-32
	KERNEL(MAXF32)

// func minF32(dst, a, b *byte, n int)
TEXT ·minF32(SB), NOSPLIT, $0-32
	KERNEL(MINF32)

// func sumF64(dst, a, b *byte, n int)
TEXT ·sumF64(SB), NOSPLIT, $0-32
	KERNEL(SUMF64)

// func maxF64(dst, a, b *byte, n int)
TEXT ·maxF64(SB), NOSPLIT, $0-32
	KERNEL(MAXF64)

// func minF64(dst, a, b *byte, n int)
TEXT ·minF64(SB), NOSPLIT, $0-32
	KERNEL(MINF64)

// func sumI32(dst, a, b *byte, n int)
TEXT ·sumI32(SB), NOSPLIT, $0-32
	KERNEL(SUMI32)

// func maxI32(dst, a, b *byte, n int)
TEXT ·maxI32(SB), NOSPLIT, $0-32
	KERNEL(MAXI32)

// func minI32(dst, a, b *byte, n int)
TEXT ·minI32(SB), NOSPLIT, $0-32
	KERNEL(MINI32)

// func sumF16(dst, a, b *byte, n int)
TEXT ·sumF16(SB), NOSPLIT, $0-32
	KERNEL(SUMF16)

// func maxF16(dst, a, b *byte, n int)
TEXT ·maxF16(SB), NOSPLIT, $0-32
	KERNEL(MAXF16)

// func minF16(dst, a, b *byte, n int)
TEXT ·minF16(SB), NOSPLIT, $0-32
	KERNEL(MINF16)

// func sumBF16(dst, a, b *byte, n int)
TEXT ·sumBF16(SB), NOSPLIT, $0-32
	CONSTANTS
	KERNEL(SUMBF16)

// func maxBF16(dst, a, b *byte, n int)
TEXT ·maxBF16(SB), NOSPLIT, $0-32
	CONSTANTS
	KERNEL(MAXBF16)

// func minBF16(dst, a, b *byte, n int)
TEXT ·minBF16(SB), NOSPLIT, $0-32
	CONSTANTS
	KERNEL(MINBF16)
