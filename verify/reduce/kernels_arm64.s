#include "textflag.h"

// The Go assembler lacks the vector instructions used here, so they are spelt
// out: encodings from the Arm Architecture Reference Manual, section C7.2.
#define OP3(code, m, n, d) WORD $(code | m<<16 | n<<5 | d);
#define OP2(code, n, d) WORD $(code | n<<5 | d);

#define FADD4S 0x4e20d400
#define FMAX4S 0x4e20f400
#define FMIN4S 0x4ea0f400
#define FADD2D 0x4e60d400
#define FMAX2D 0x4e60f400
#define FMIN2D 0x4ee0f400
#define ADD4S 0x4ea08400
#define SMAX4S 0x4ea06400
#define SMIN4S 0x4ea06c00
#define FCVTL 0x0e217800 // low four f16 to f32
#define FCVTL2 0x4e217800 // high four
#define FCVTN 0x0e216800 // f32 to low four f16, high four cleared
#define FCVTN2 0x4e216800 // f32 to high four f16
#define SHL16 0x4f305400
#define USHR16 0x6f300400
#define SRI16 0x6f304400 // shift right by 16 into the lower halves, upper halves kept
#define AND16B 0x4e201c00

// Every kernel computes n > 0 bytes (a multiple of 32) of dst = a op b: STEP
// leaves V0:V1 op V2:V3 in V0:V1. FMAX and FMIN are IEEE 754-2019 maximum and
// minimum as they are.
#define KERNEL(STEP) \
	MOVD dst+0(FP), R0                   \
	MOVD a+8(FP), R1                     \
	MOVD b+16(FP), R2                    \
	MOVD n+24(FP), R3                    \
loop:                                    \
	VLD1.P 32(R1), [V0.B16, V1.B16]      \
	VLD1.P 32(R2), [V2.B16, V3.B16]      \
	STEP                                 \
	VST1.P [V0.B16, V1.B16], 32(R0)      \
	SUBS $32, R3, R3                     \
	BNE loop                             \
	RET

#define PLAIN(code) OP3(code, 2, 0, 0) OP3(code, 3, 1, 1)

// f16: four at a time are widened, computed and rounded back.
#define HALF(code, x, y) \
	OP2(FCVTL2, x, 4) OP2(FCVTL2, y, 5) OP2(FCVTL, x, 6) OP2(FCVTL, y, 7) \
	OP3(code, 7, 6, 6) OP3(code, 5, 4, 4) \
	OP2(FCVTN, 6, x) OP2(FCVTN2, 4, x)
#define F16(code) HALF(code, 0, 2) HALF(code, 1, 3)

// bf16: the odd elements of a register are f32 after masking (V15), the even
// ones after a shift. V14 = 0x7fff, V13 = 1; see kernels_amd64.s for rounding.
#define ROUND(x) \
	OP2(USHR16, x, 6) OP3(AND16B, 13, 6, 6) OP3(ADD4S, 14, x, x) OP3(ADD4S, 6, x, x)
#define WIDEN(x, y) \
	OP2(SHL16, x, 4) OP2(SHL16, y, 5) OP3(AND16B, 15, x, x) OP3(AND16B, 15, y, y)
#define BFSUM(x, y) \
	WIDEN(x, y) OP3(FADD4S, y, x, x) OP3(FADD4S, 5, 4, 4) ROUND(x) ROUND(4) OP2(SRI16, 4, x)
#define BFPICK(code, x, y) \
	WIDEN(x, y) OP3(code, y, x, x) OP3(code, 5, 4, 4) OP2(SRI16, 4, x)

#define CONSTANTS \
	MOVD $1, R4          \
	VDUP R4, V13.S4      \
	MOVD $0x7fff, R4     \
	VDUP R4, V14.S4      \
	MOVD $0xffff0000, R4 \
	VDUP R4, V15.S4

#define SUMF32 PLAIN(FADD4S)
#define MAXF32 PLAIN(FMAX4S)
#define MINF32 PLAIN(FMIN4S)
#define SUMF64 PLAIN(FADD2D)
#define MAXF64 PLAIN(FMAX2D)
#define MINF64 PLAIN(FMIN2D)
#define SUMI32 PLAIN(ADD4S)
#define MAXI32 PLAIN(SMAX4S)
#define MINI32 PLAIN(SMIN4S)
#define SUMF16 F16(FADD4S)
#define MAXF16 F16(FMAX4S)
#define MINF16 F16(FMIN4S)
#define SUMBF16 BFSUM(0, 2) BFSUM(1, 3)
#define MAXBF16 BFPICK(FMAX4S, 0, 2) BFPICK(FMAX4S, 1, 3)
#define MINBF16 BFPICK(FMIN4S, 0, 2) BFPICK(FMIN4S, 1, 3)

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
